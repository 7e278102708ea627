import type { ToolRun } from '@agents/jangar-api'
import type { JobFailure, RunProgress } from '../../jobs/run-progress.ts'

type ToolRunStatus = NonNullable<ToolRun['status']>

type Named =
  | 'queue'
  | 'attempts'
  | 'exitCode'
  | 'nextRetryAt'
  | 'outputs'
  | 'runtimeRef'
  | 'startedAt'

/** The fields of a ToolRun's status beside its conditions. Undefined removes a field. */
export type ToolRunDetail = { [Name in Named]: ToolRunStatus[Name] | undefined }

/** Reasons for which a ToolRun fails once it has been admitted. */
export type ToolFailure = JobFailure | 'InvalidOutputs'

export type ToolRunProgress = RunProgress<ToolRunDetail, ToolFailure>
