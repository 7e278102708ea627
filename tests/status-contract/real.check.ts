import { describe } from 'vitest'
import { realClusterAvailable } from '../testbed/real-cluster.ts'
import { contractSubjects } from './reconcilers.ts'
import { startReal } from './server.ts'
import { statusContract } from './suite.ts'

const { available } = await realClusterAvailable()

describe.skipIf(!available)('the status contract on a real kube-apiserver', () => {
  statusContract(startReal, contractSubjects)
})
