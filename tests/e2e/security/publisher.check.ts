import { describe } from 'vitest'
import { likeAuthorities } from '../../support/testbed/authority.ts'
import { publisherAttacks } from './publisher-attacks.ts'

// Only root can run the containers of the local node as different users.
describe.skipIf(process.getuid?.() !== 0)('the credential of a repository', () => {
  for (const authority of likeAuthorities) publisherAttacks(authority)
})
