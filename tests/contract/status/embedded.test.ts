import { describe } from 'vitest'
import { startEmbedded } from '../../support/testbed/server.ts'
import { contractSubjects } from './reconcilers.ts'
import { statusContract } from './suite.ts'

const kinds = ['AgentRun', 'GitTarget']

// One reconciler of each service; embedded.check.ts covers all of them.
describe('the status contract on the embedded server', { timeout: 180_000 }, () => {
  statusContract(
    startEmbedded,
    contractSubjects.filter(({ kind }) => kinds.includes(kind.kind)),
    contractSubjects,
  )
})
