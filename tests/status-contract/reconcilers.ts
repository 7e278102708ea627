import { agentRunSubject } from './agents/agent-run.ts'
import { agentsSubjects } from './agents/subjects.ts'
import type { ContractSubject } from './contract-subject.ts'
import { gitTargetSubjects } from './gittarget/subjects.ts'

/** Every reconciler that a service exports. What is listed here keeps the status contract, or the suite fails. */
export const contractSubjects: readonly ContractSubject[] = [
  agentRunSubject,
  ...agentsSubjects,
  ...gitTargetSubjects,
]
