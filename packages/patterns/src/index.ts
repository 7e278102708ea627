export { isBranchName } from './branch-name.ts'
export { globMatcher } from './glob.ts'
export { firstMatch, matchesWildcard } from './wildcard.ts'
