import type { Fault } from './fault.ts'
import { agentsFaults } from './faults/agents.ts'
import { interfaceFaults } from './faults/interfaces.ts'
import { platformFaults } from './faults/platform.ts'
import { sourceFaults } from './faults/sources.ts'

export const faults: readonly Fault[] = [
  ...platformFaults,
  ...agentsFaults,
  ...sourceFaults,
  ...interfaceFaults,
]
