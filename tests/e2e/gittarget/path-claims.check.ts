import { startEmbedded } from '../../support/testbed/server.ts'
import { pathClaimScenarios } from './path-claim-scenarios.ts'

pathClaimScenarios(startEmbedded)
