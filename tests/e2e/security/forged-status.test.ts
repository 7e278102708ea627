import { describe } from 'vitest'
import { startEmbedded } from '../../support/testbed/server.ts'
import { forgedStatusAttacks } from './forged-status-attacks.ts'

describe('a forged status of a run on the embedded API server', { timeout: 60_000 }, () => {
  forgedStatusAttacks(startEmbedded)
})
