import { startReal } from '../../support/testbed/server.ts'
import { goldenPathScenario } from './golden-path-scenario.ts'

goldenPathScenario(startReal)
