import { testKills } from './kill-storm.ts'

testKills(6)
