import { startEmbedded } from '../../support/testbed/server.ts'
import { statusScenarios } from './status-scenarios.ts'

statusScenarios(startEmbedded)
