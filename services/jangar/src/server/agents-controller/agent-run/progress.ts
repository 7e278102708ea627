import type { RunDetail } from './run-detail.ts'
import type { Cause } from './task/advance-task.ts'
import type { AttemptResults } from './task/attempt-results.ts'
import type { Trouble } from './task/pod-state.ts'

export type Failure =
  | 'Failed'
  | 'JobFailed'
  | 'JobMissing'
  | 'TimedOut'
  | 'RetriesExhausted'
  | 'WorkflowStepFailed'
  | 'WorkflowStepTimedOut'
  | 'WorkflowStepRetriesExhausted'

/** How the work of a run stands, whatever its runtime. */
export interface Progress {
  readonly kind: 'running' | 'retrying' | 'succeeded' | 'failed'
  /** Whether its work has ever begun. */
  readonly begun: boolean
  readonly message: string
  /** While it has not begun. */
  readonly trouble?: Trouble
  readonly failure?: Failure
  /** Why the last attempt ended. */
  readonly cause?: Cause
  readonly recheckAfterMs: number
  readonly detail: Partial<RunDetail>
  /** An attempt that failed in this look, for people to be told about. */
  readonly failedAttempt?: string
  readonly results?: AttemptResults
}
