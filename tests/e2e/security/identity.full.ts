import { describe } from 'vitest'
import { realClusterAvailable } from '../../support/testbed/real-cluster.ts'
import { startReal } from '../../support/testbed/server.ts'
import { identityAttacks } from './identity-attacks.ts'

const { available } = await realClusterAvailable()

describe.skipIf(!available)('the identity of runs on a real kube-apiserver', () => {
  identityAttacks(startReal)
})
