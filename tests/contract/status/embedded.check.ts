import { describe } from 'vitest'
import { startEmbedded } from '../../support/testbed/server.ts'
import { contractSubjects } from './reconcilers.ts'
import { statusContract } from './suite.ts'

describe('the status contract on the embedded server', () => {
  statusContract(startEmbedded, contractSubjects)
})
