import { faultServers } from '../../support/testbed/fault-servers.ts'
import { deletionScenarios } from './deletion-scenarios.ts'

deletionScenarios(faultServers.real, { isShort: true })
