import { testMutatedRequests } from './mutated-requests.ts'

testMutatedRequests(20_000)
