import type { GateContext } from '@agents/controller'
import type { Job } from '@agents/kube'
import { rfc3339 } from '@agents/status'
import type { RunJobs } from '../run-jobs.ts'
import { type AttemptResults, attemptResults, describeEnd } from './attempt-results.ts'
import { hasEndedByItself, isBeingDeleted, type JobOutcome, jobOutcome } from './job-outcome.ts'
import { hasBegun, type Trouble, troubleOf } from './pod-state.ts'
import { endOf, type TaskLimits, type TaskState } from './task-state.ts'

/** One piece of work, and how to hand it over. */
export interface Task {
  readonly state: TaskState
  /** Asked for when an attempt has been made; before the first one nobody knows them. */
  readonly limits: TaskLimits
  /** The Jobs of this task that are still there. */
  jobs(): Job[]
  /** Hands the attempt over, or says why that cannot be done now, or ever. */
  submit(attempt: number): Promise<Submission>
}

export type Submission =
  | { readonly kind: 'submitted'; readonly job: Job }
  | { readonly kind: 'waiting'; readonly message: string; readonly trouble?: Trouble['reason'] }
  | { readonly kind: 'refused'; readonly message: string }

/** Why the last attempt of a task was in vain. */
export type Cause = 'failed' | 'missing' | 'timedOut' | 'refused'

export interface TaskReport {
  readonly state: TaskState
  /** While it has not begun: what keeps it. */
  readonly trouble?: Trouble
  /** Of the attempt whose end was seen in this look. */
  readonly results?: AttemptResults
  readonly cause?: Cause
  readonly recheckAfterMs: number
}

export interface TaskLook extends GateContext {
  readonly jobs: RunJobs
  /** False: what is under way is watched, but nothing new begins. */
  readonly mayStart: boolean
}

/** Takes the next step of a task, if one is due. Repeating it after a crash finds what was done. */
export async function advanceTask(task: Task, look: TaskLook): Promise<TaskReport> {
  const { state } = task
  switch (state.phase) {
    case 'Pending':
      return look.mayStart ? submit(task, look) : idle(state)
    case 'Retrying':
      return retry(task, look)
    case 'Running':
      return watch(task, look)
    default:
      return idle(state)
  }
}

/** Nothing is due before somebody tells. */
const untilEvent = Number.POSITIVE_INFINITY
const slowCheckMs = 30_000

function idle(state: TaskState): TaskReport {
  return { state, recheckAfterMs: untilEvent }
}

async function submit(task: Task, { now }: TaskLook): Promise<TaskReport> {
  const { state } = task
  const attempt = state.attempt + 1
  const submission = await task.submit(attempt)
  if (submission.kind === 'waiting') {
    const { message, trouble: reason = 'Submitting' } = submission
    return {
      state: { ...state, message },
      trouble: { reason, message },
      recheckAfterMs: slowCheckMs,
    }
  }
  if (submission.kind === 'refused') {
    const { message } = submission
    return {
      state: { ...state, phase: 'Failed', message, finishedAt: rfc3339(now) },
      cause: 'refused',
      recheckAfterMs: untilEvent,
    }
  }
  const { name, namespace = '', uid = '' } = submission.job.metadata
  return {
    state: {
      phase: 'Running',
      attempt,
      jobRef: { name, namespace, uid },
      submittedAt: rfc3339(now),
    },
    trouble: troubleOf(undefined, name),
    // A Job that was found instead of created may have ended long ago.
    recheckAfterMs: submission.job.status?.startTime === undefined ? slowCheckMs : 0,
  }
}

/**
 * The Job of the failed attempt is gone before the next one comes, so that no two of them ever work at once. Until then it
 * stays: its pod has what people want to read.
 */
async function retry(task: Task, look: TaskLook): Promise<TaskReport> {
  const { state } = task
  const { now, signal, jobs, mayStart } = look
  if (!mayStart) return idle(state)
  const due = state.nextRetryAt === undefined ? 0 : Date.parse(state.nextRetryAt) - now.getTime()
  if (due > 0) return { state, recheckAfterMs: due }
  const remaining = task.jobs()
  for (const job of remaining) await jobs.stop(job, signal)
  return remaining.length > 0 ? { state, recheckAfterMs: slowCheckMs } : submit(task, look)
}

async function watch(task: Task, look: TaskLook): Promise<TaskReport> {
  const { state, limits } = task
  const { now, signal, jobs } = look
  const job = state.jobRef && (await jobs.find(state.jobRef, signal))
  const outcome = job && jobOutcome(job)
  if (outcome && hasEndedByItself(job)) return ended(task, look, job, outcome)
  const deadline = deadlineOf(state, limits)
  const isLate = now.getTime() >= deadline
  if (!job) return isLate ? failedAttempt(task, now, timeoutEnd(limits)) : missing(task, now)
  if (isLate) {
    await jobs.stop(job, signal)
    return { state, recheckAfterMs: slowCheckMs }
  }
  if (isBeingDeleted(job)) return { state, recheckAfterMs: slowCheckMs }
  const pod = await jobs.podOf(job, signal)
  const begun = state.startedAt !== undefined || hasBegun(pod)
  if (!begun) {
    return { state, trouble: troubleOf(pod, job.metadata.name), recheckAfterMs: untilEvent }
  }
  const going = { startedAt: rfc3339(now), ...state }
  const leftMs = deadlineOf(going, limits) - now.getTime()
  return { state: going, recheckAfterMs: Math.max(0, leftMs) }
}

function deadlineOf(state: TaskState, { timeoutSeconds }: TaskLimits): number {
  const { startedAt } = state
  if (timeoutSeconds === 0 || startedAt === undefined) return untilEvent
  return endOf(startedAt, timeoutSeconds)
}

async function ended(
  task: Task,
  { now, jobs, signal }: TaskLook,
  job: Job,
  outcome: JobOutcome,
): Promise<TaskReport> {
  const results = attemptResults(await jobs.podOf(job, signal))
  if (outcome.kind === 'failed') {
    const isLate = outcome.reason === 'DeadlineExceeded'
    return failedAttempt(task, now, {
      cause: isLate ? 'timedOut' : 'failed',
      message: isLate ? outcome.message : describeFailure(results, outcome.message),
      results,
    })
  }
  const at = rfc3339(now)
  return {
    state: {
      startedAt: at,
      ...task.state,
      phase: 'Succeeded',
      finishedAt: at,
      message: describeEnd(results),
    },
    results,
    recheckAfterMs: untilEvent,
  }
}

function describeFailure(results: AttemptResults, byJob: string): string {
  const isSilent = results.exitCode === undefined && results.said === undefined
  return isSilent && byJob !== '' ? byJob : describeEnd(results)
}

interface AttemptEnd {
  readonly cause: Cause
  readonly message: string
  readonly results?: AttemptResults
}

function timeoutEnd({ timeoutSeconds }: TaskLimits): AttemptEnd {
  return { cause: 'timedOut', message: `it took longer than ${timeoutSeconds} s` }
}

function missing(task: Task, now: Date): TaskReport {
  const name = task.state.jobRef?.name ?? 'unknown'
  const message = `Job ${name} vanished before its outcome was known`
  return failedAttempt(task, now, { cause: 'missing', message })
}

/** Recorded before anything else is done about it, so that no outcome is ever lost; the next look goes on. */
function failedAttempt(
  { state, limits }: Task,
  now: Date,
  { cause, message, results }: AttemptEnd,
): TaskReport {
  const common = { ...(results && { results }), cause }
  const attempts = limits.retries + 1
  const which = attempts > 1 ? `attempt ${state.attempt} of ${attempts}: ` : ''
  const { nextRetryAt: _, ...before } = state
  const at = rfc3339(now)
  // Who has an exit code has begun, though it was over before anybody looked.
  const rest = { ...(results?.exitCode !== undefined && { startedAt: at }), ...before }
  if (state.attempt >= attempts) {
    return {
      ...common,
      state: { ...rest, phase: 'Failed', finishedAt: at, message: which + message },
      recheckAfterMs: untilEvent,
    }
  }
  // Whole seconds are recorded; rounding up keeps the wait from being shorter than asked for.
  const next = new Date(Math.ceil(now.getTime() / 1000 + limits.retryBackoffSeconds) * 1000)
  const isSoon = limits.retryBackoffSeconds === 0
  const nextRetryAt = isSoon ? at : rfc3339(next)
  const again = isSoon ? 'it is tried again at once' : `it is tried again at ${nextRetryAt}`
  return {
    ...common,
    state: {
      ...rest,
      phase: 'Retrying',
      finishedAt: at,
      nextRetryAt,
      message: `${which}${message}; ${again}`,
    },
    recheckAfterMs: isSoon ? 0 : next.getTime() - now.getTime(),
  }
}
