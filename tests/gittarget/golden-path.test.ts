import { startEmbedded } from '../status-contract/server.ts'
import { goldenPathScenario } from './golden-path-scenario.ts'

goldenPathScenario(startEmbedded)
