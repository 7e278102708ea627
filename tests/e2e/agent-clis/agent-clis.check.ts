import { testAgentClis } from './agent-clis.ts'

// The others start so slowly that all of their tests take five minutes more.
testAgentClis(({ isQuick }) => isQuick)
