import { describe } from 'vitest'
import { startEmbedded } from '../../support/testbed/server.ts'
import { identityAttacks } from './identity-attacks.ts'

describe('the identity of runs on the embedded API server', { timeout: 60_000 }, () => {
  identityAttacks(startEmbedded)
})
