import { startEmbedded } from '../../support/testbed/server.ts'
import { ignoreScenarios } from './ignore-scenarios.ts'

ignoreScenarios(startEmbedded)
