import type { AgentRun } from '@agents/jangar-api'

export type AgentRunStatus = NonNullable<AgentRun['status']>
export type WorkflowStatus = NonNullable<AgentRunStatus['workflow']>
export type StepStatus = NonNullable<WorkflowStatus['steps']>[number]

type Named =
  | 'queue'
  | 'attempts'
  | 'exitCode'
  | 'usage'
  | 'runtimeRef'
  | 'workflow'
  | 'artifacts'
  | 'vcs'
  | 'systemPromptHash'
  | 'contract'
  | 'startedAt'

/** What a run's status says beside its conditions. Undefined removes what was said before. */
export type RunDetail = { [Name in Named]: AgentRunStatus[Name] | undefined }
