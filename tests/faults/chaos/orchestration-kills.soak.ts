import { testOrchestrationKills } from './orchestration-kills.ts'
import { servers } from './servers.ts'

for (const server of servers) testOrchestrationKills(server, 200, 50)
