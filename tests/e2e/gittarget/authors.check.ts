import { startEmbedded } from '../../support/testbed/server.ts'
import { authorScenarios } from './author-scenarios.ts'

authorScenarios(startEmbedded)
