import type { AgentRun } from '@agents/jangar-api'

export type AgentRunStatus = NonNullable<AgentRun['status']>
export type WorkflowStatus = NonNullable<AgentRunStatus['workflow']>
export type StepStatus = NonNullable<WorkflowStatus['steps']>[number]

type Named =
  | 'queue'
  | 'attempts'
  | 'exitCode'
  | 'failureClass'
  | 'nextRetryAt'
  | 'usage'
  | 'progress'
  | 'summary'
  | 'outputs'
  | 'skills'
  | 'warnings'
  | 'runtimeRef'
  | 'workflow'
  | 'artifacts'
  | 'vcs'
  | 'systemPromptHash'
  | 'contract'
  | 'startedAt'

/** The fields of a run's status beside its conditions. Undefined removes a field. */
export type RunDetail = { [Name in Named]: AgentRunStatus[Name] | undefined }
