import { agentRunSubject } from './agents/agent-run.ts'
import { agentsSubjects } from './agents/subjects.ts'
import { toolSubjects } from './agents/tool-run.ts'
import type { ContractSubject } from './contract-subject.ts'
import { gitTargetSubjects } from './gittarget/subjects.ts'

/**
 * Every reconciler that a service exports. The suite fails for each one listed here that breaks the status contract.
 */
export const contractSubjects: readonly ContractSubject[] = [
  agentRunSubject,
  ...agentsSubjects,
  ...toolSubjects,
  ...gitTargetSubjects,
]
