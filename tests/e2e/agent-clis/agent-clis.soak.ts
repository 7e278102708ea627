import { testAgentClis } from './agent-clis.ts'

testAgentClis(() => true)
