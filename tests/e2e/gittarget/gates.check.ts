import { startEmbedded } from '../../support/testbed/server.ts'
import { gateScenarios } from './gate-scenarios.ts'

gateScenarios(startEmbedded)
