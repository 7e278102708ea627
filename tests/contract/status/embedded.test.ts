import { describe } from 'vitest'
import { startEmbedded } from '../../support/testbed/server.ts'
import { contractSubjects } from './reconcilers.ts'
import { statusContract } from './suite.ts'

// One reconciler; embedded.check.ts covers all of them.
describe('the status contract on the embedded server', { timeout: 180_000 }, () => {
  statusContract(
    startEmbedded,
    contractSubjects.filter(({ kind }) => kind.kind === 'AgentRun'),
    contractSubjects,
  )
})
