import { isFull } from '../../support/tier.ts'
import { testOrchestrationKills } from './orchestration-kills.ts'
import { servers } from './servers.ts'

for (const server of servers) testOrchestrationKills(server, isFull ? 16 : 8, isFull ? 6 : 3)
