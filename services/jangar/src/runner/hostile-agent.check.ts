import { testEndlessOutput } from './testing/endless-output.ts'

testEndlessOutput({ mebibytes: 80, conversations: 15_000 })
