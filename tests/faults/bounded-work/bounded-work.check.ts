import { testBoundedWork } from './bounded-work.ts'

testBoundedWork(1_000, { largestEvery: 18 })
