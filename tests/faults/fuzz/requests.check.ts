import { isFull } from '../../support/tier.ts'
import { testMutatedRequests } from './mutated-requests.ts'

testMutatedRequests(isFull ? 20_000 : 4_000)
