import { describe } from 'vitest'
import { startEmbedded } from '../../support/testbed/server.ts'
import { forgedSpecAttacks } from './forged-spec-attacks.ts'

describe('a forged ConfigMap of a run on the embedded API server', { timeout: 60_000 }, () => {
  forgedSpecAttacks(startEmbedded)
})
