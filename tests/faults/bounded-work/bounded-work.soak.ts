import { testBoundedWork } from './bounded-work.ts'

// The largest bodies take a second or more each, so that only 800 of the requests use them.
testBoundedWork(200_000, { largestEvery: 250 })
