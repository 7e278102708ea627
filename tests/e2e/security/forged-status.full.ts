import { describe } from 'vitest'
import { realClusterAvailable } from '../../support/testbed/real-cluster.ts'
import { startReal } from '../../support/testbed/server.ts'
import { forgedStatusAttacks } from './forged-status-attacks.ts'

const { available } = await realClusterAvailable()

describe.skipIf(!available)('a forged status of a run on a real kube-apiserver', () => {
  forgedStatusAttacks(startReal)
})
