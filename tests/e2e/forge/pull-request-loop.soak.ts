import { testPullRequests } from './pull-request-loop.ts'

testPullRequests(['before', 'after'])
