import { describe } from 'vitest'
import { realClusterAvailable } from '../../support/testbed/real-cluster.ts'
import { startReal } from '../../support/testbed/server.ts'
import { contractSubjects } from './reconcilers.ts'
import { statusContract } from './suite.ts'

const { available } = await realClusterAvailable()

describe.skipIf(!available)('the status contract on a real kube-apiserver', () => {
  statusContract(startReal, contractSubjects)
})
