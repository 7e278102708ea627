import type { TaskReport } from './advance-task.ts'
import type { AttemptResults } from './attempt-results.ts'
import type { AttemptFailure } from './failure-class.ts'
import type { StartProblem } from './pod-state.ts'
import type { TaskLimits, TaskState } from './task-state.ts'
import type { WorkPhase } from './work-phase.ts'

/** Reasons for which the work of a run fails, whatever its kind. */
export type JobFailure =
  | 'Failed'
  | 'JobFailed'
  | 'JobMissing'
  | 'TimedOut'
  | 'RetriesExhausted'
  | 'SecretNotAllowed'
  | 'BudgetExceeded'

/** The state of a run's work. Runtimes report it, gates turn it into conditions. */
export interface RunProgress<Detail = object, Failure extends string = JobFailure> {
  readonly phase: Exclude<WorkPhase, 'Pending'>
  /** Whether a container of the run has ever started. */
  readonly started: boolean
  readonly message: string
  /** What keeps the work from starting. */
  readonly problem?: StartProblem
  /** If the phase is `Failed`. */
  readonly failure?: Failure
  /** Why the last attempt ended. */
  readonly cause?: AttemptFailure
  /** Infinity: the next reconcile is due when an event arrives. */
  readonly requeueAfterMs: number
  /** Status fields beside the conditions. */
  readonly detail: Partial<Detail>
  /** Describes an attempt that failed in this reconcile, for an event. */
  readonly failedAttempt?: string
  /** Of an attempt whose end was observed in this reconcile. */
  readonly results?: AttemptResults
}

export function jobFailure(
  cause: AttemptFailure,
  { state, refusal }: Pick<TaskReport, 'state' | 'refusal'>,
  limits: TaskLimits,
): JobFailure {
  if (cause === 'missing') return 'JobMissing'
  if (cause === 'timedOut') return 'TimedOut'
  if (cause === 'refused') return refusalFailure(refusal) ?? 'Failed'
  return isExhausted(state, limits) ? 'RetriesExhausted' : 'JobFailed'
}

/** A run that was accepted, and whose next attempt is not: only what may be taken away meanwhile has its own reason. */
export function refusalFailure(refusal: string | undefined): 'SecretNotAllowed' | undefined {
  return refusal === 'SecretNotAllowed' ? refusal : undefined
}

/** Whether there were retries, and none is left. */
export function isExhausted(
  { attempt }: Pick<TaskState, 'attempt'>,
  { retries }: TaskLimits,
): boolean {
  return retries > 0 && attempt > retries
}
