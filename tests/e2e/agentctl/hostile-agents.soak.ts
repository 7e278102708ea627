import { testHostileAgents } from './hostile-agents.ts'

testHostileAgents(1 << 30)
