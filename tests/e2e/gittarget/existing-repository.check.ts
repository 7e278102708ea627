import { startEmbedded } from '../../support/testbed/server.ts'
import { existingRepositoryScenarios } from './existing-repository-scenarios.ts'

existingRepositoryScenarios(startEmbedded)
