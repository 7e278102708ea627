import { gateScenarios } from '../gittarget/gate-scenarios.ts'
import { goldenPathScenario } from '../gittarget/golden-path-scenario.ts'
import { startReal } from '../status-contract/server.ts'

goldenPathScenario(startReal)
gateScenarios(startReal)
