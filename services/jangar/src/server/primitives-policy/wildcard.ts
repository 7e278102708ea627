export { firstMatch, matchesWildcard } from '../../patterns/wildcard.ts'
