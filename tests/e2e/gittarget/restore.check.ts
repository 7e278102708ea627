import { startEmbedded } from '../../support/testbed/server.ts'
import { restoreScenarios } from './restore-scenarios.ts'

restoreScenarios(startEmbedded)
