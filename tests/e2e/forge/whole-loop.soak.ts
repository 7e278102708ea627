import { testWholeLoop } from './whole-loop.ts'

testWholeLoop(['before', 'after'])
