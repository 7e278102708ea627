import { describe } from 'vitest'
import { realClusterAvailable } from '../../support/testbed/real-cluster.ts'
import { startReal } from '../../support/testbed/server.ts'
import { forgedSpecAttacks } from './forged-spec-attacks.ts'

const { available } = await realClusterAvailable()

describe.skipIf(!available)('a forged ConfigMap of a run on a real kube-apiserver', () => {
  forgedSpecAttacks(startReal)
})
