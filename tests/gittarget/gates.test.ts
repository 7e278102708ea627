import { startEmbedded } from '../status-contract/server.ts'
import { gateScenarios } from './gate-scenarios.ts'

gateScenarios(startEmbedded)
