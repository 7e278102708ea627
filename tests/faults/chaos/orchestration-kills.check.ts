import { testOrchestrationKills } from './orchestration-kills.ts'

testOrchestrationKills(16, 6)
