import { testPullRequests } from './pull-request-loop.ts'

// What was done, though its answer was lost, is the harder half.
testPullRequests(['after'])
