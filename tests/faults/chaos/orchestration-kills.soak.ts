import { testOrchestrationKills } from './orchestration-kills.ts'

testOrchestrationKills(200, 50)
