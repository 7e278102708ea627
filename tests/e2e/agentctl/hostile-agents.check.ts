import { testHostileAgents } from './hostile-agents.ts'

// More than the node keeps of a log.
testHostileAgents(96 << 20)
