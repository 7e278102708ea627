import { describe } from 'vitest'
import { contractSubjects } from './reconcilers.ts'
import { startEmbedded } from './server.ts'
import { statusContract } from './suite.ts'

describe('the status contract on the embedded server', { timeout: 180_000 }, () => {
  statusContract(startEmbedded, contractSubjects)
})
