import { isFull } from '../../support/tier.ts'
import { testBoundedWork } from './bounded-work.ts'

testBoundedWork(isFull ? 1_000 : 150, { largestEvery: 18 })
