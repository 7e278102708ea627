import type { FailureClass } from '@agents/jangar-api'
import type { TaskPhase } from './work-phase.ts'

export interface JobRef {
  readonly name: string
  readonly namespace: string
  readonly uid: string
}

/** The state of a piece of work that is tried by one Job after another: a whole run, or one step of it. */
export interface TaskState {
  readonly phase: TaskPhase
  /** Counted from 1; 0 before the first attempt. */
  readonly attempt: number
  /** The Job of the attempt. */
  readonly jobRef?: JobRef
  /** When the Job of the attempt was created. */
  readonly submittedAt?: string
  /** When its container was first observed to have started. */
  readonly startedAt?: string
  readonly finishedAt?: string
  readonly nextRetryAt?: string
  readonly message?: string
}

export const pendingTask: TaskState = { phase: 'Pending', attempt: 0 }

export interface TaskLimits {
  readonly retries: number
  readonly retryBackoffSeconds: number
  /** Classes of failures that are retried. If omitted, all that can be. */
  readonly retryOn?: readonly FailureClass[]
  /** Limit of one attempt, counted from the start of its container. 0: no limit. */
  readonly timeoutSeconds: number
  /** Limit from the creation of a Job to the start of its container. 0: no limit. If omitted, the default. */
  readonly startTimeoutSeconds?: number
}

export const defaultStartTimeoutSeconds = 900

/** The end of a period that began at a recorded second. Never early: timestamps cut off fractions of a second. */
export function endOf(recorded: string, seconds: number): number {
  return Date.parse(recorded) + 999 + seconds * 1000
}
