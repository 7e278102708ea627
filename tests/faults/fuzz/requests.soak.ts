import { testMutatedRequests } from './mutated-requests.ts'

testMutatedRequests(100_000)
