import { startReal } from '../../support/testbed/server.ts'
import { authorScenarios } from './author-scenarios.ts'
import { existingRepositoryScenarios } from './existing-repository-scenarios.ts'
import { gateScenarios } from './gate-scenarios.ts'
import { ignoreScenarios } from './ignore-scenarios.ts'
import { restoreScenarios } from './restore-scenarios.ts'
import { statusScenarios } from './status-scenarios.ts'

gateScenarios(startReal)
authorScenarios(startReal)
ignoreScenarios(startReal)
statusScenarios(startReal)
restoreScenarios(startReal)
existingRepositoryScenarios(startReal)
