import type { JobFailure } from '../../../jobs/run-progress.ts'

/** Reasons for which an AgentRun fails once it has been admitted. */
export type Failure =
  | JobFailure
  | 'DocumentsChanged'
  | 'NoChanges'
  | 'PushPolicyViolated'
  | 'SkillUnavailable'
  | 'WorkflowStepFailed'
  | 'WorkflowStepTimedOut'
  | 'WorkflowStepRetriesExhausted'
