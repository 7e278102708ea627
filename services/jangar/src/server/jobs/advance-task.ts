import type { GateContext } from '@agents/controller'
import type { Job, Pod } from '@agents/kube'
import { rfc3339, rfc3339NotBefore } from '@agents/status'
import type { AttemptJobs } from './attempt-jobs.ts'
import {
  type AttemptResults,
  attemptResults,
  describeEnd,
  type ReadResults,
} from './attempt-results.ts'
import {
  type AnyFailureClass,
  type AttemptFailure,
  type FailureFacts,
  failureClass,
  isRetried,
} from './failure-class.ts'
import { finishedByItself, isBeingDeleted, type JobOutcome, jobOutcome } from './job-outcome.ts'
import { noOutput, type PodOutput } from './output/pod-output.ts'
import {
  endOfWork,
  hasStarted,
  publisherOverdueSince,
  publisherProblem,
  type StartProblem,
  startProblem,
} from './pod-state.ts'
import { retryDelaySeconds } from './retry-delay.ts'
import { podCheckMs } from './stop-jobs.ts'
import { defaultStartTimeoutSeconds, endOf, type TaskLimits, type TaskState } from './task-state.ts'

/** A piece of work, and how to create the Jobs of its attempts. */
export interface Task {
  readonly state: TaskState
  /** Decided with the first attempt, and read once an attempt has been made. */
  readonly limits: TaskLimits
  /** The time limit that the runner enforces itself, of the attempt or of the run as a whole. 0: none. */
  readonly runnerLimitSeconds: number
  /** If omitted, the report of agent-runner is expected. */
  readonly readResults?: ReadResults
  /** The Jobs of this task that still exist. */
  jobs(): Job[]
  /** Creates the Job of the attempt, or reports why that is not possible yet, or permanently. */
  submit(attempt: number): Promise<Submission>
  /** The Job of the attempt, if a process created it and ended before it recorded that. */
  unrecorded(attempt: number): Job | undefined
}

export type Submission =
  | { readonly kind: 'submitted'; readonly job: Job }
  | {
      readonly kind: 'waiting'
      readonly message: string
      readonly problem?: StartProblem['reason']
    }
  | { readonly kind: 'refused'; readonly message: string; readonly reason?: string }

export interface TaskReport {
  readonly state: TaskState
  /** What keeps the attempt from starting. */
  readonly problem?: StartProblem
  /** Of the attempt whose end was observed in this reconcile. */
  readonly results?: AttemptResults
  readonly cause?: AttemptFailure
  /** The reason for which the attempt was refused. */
  readonly refusal?: string
  /** Of the attempt that failed in this reconcile. */
  readonly failureClass?: AnyFailureClass
  /** Infinity: the next reconcile is due when an event arrives. */
  readonly requeueAfterMs: number
}

export interface TaskContext extends Pick<GateContext, 'now' | 'signal'> {
  readonly jobs: Pick<AttemptJobs, 'find' | 'podOf' | 'outputOf' | 'stop' | 'stopped'>
  /** False: running attempts are observed, but none is started. */
  readonly mayStart: boolean
}

/** Takes the next step of a task, if one is due. Idempotent: after a crash it finds what was done. */
export async function advanceTask(task: Task, context: TaskContext): Promise<TaskReport> {
  const { state } = task
  switch (state.phase) {
    case 'Pending':
      return context.mayStart ? submit(task, context) : idle(state)
    case 'Retrying':
      return retry(task, context)
    case 'Running':
      return observe(task, context)
    default:
      return idle(state)
  }
}

const untilEvent = Number.POSITIVE_INFINITY
const slowCheckMs = 30_000

function idle(state: TaskState): TaskReport {
  return { state, requeueAfterMs: untilEvent }
}

async function submit(task: Task, { now }: TaskContext): Promise<TaskReport> {
  const { state } = task
  const attempt = state.attempt + 1
  const submission = orUnrecorded(await task.submit(attempt), task.unrecorded(attempt))
  if (submission.kind === 'waiting') {
    const { message, problem: reason = 'Submitting' } = submission
    return {
      state: { ...state, message },
      problem: { reason, message },
      requeueAfterMs: slowCheckMs,
    }
  }
  if (submission.kind === 'refused') {
    const { message, reason } = submission
    return {
      state: { ...state, phase: 'Failed', message, finishedAt: rfc3339(now) },
      cause: 'refused',
      ...(reason !== undefined && { refusal: reason }),
      requeueAfterMs: untilEvent,
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
    problem: startProblem(undefined, name),
    // A Job that existed already may have finished long ago.
    requeueAfterMs: submission.job.status?.startTime === undefined ? slowCheckMs : 0,
  }
}

/** What the run refers to may have changed since the Job was created, so that it could not be created again. */
function orUnrecorded(submission: Submission, job: Job | undefined): Submission {
  return job && submission.kind !== 'submitted' ? { kind: 'submitted', job } : submission
}

/**
 * Starts the next attempt when the Job of the failed one no longer exists, so that two attempts never run at once.
 * Until the retry is due that Job is kept: users want to read the logs of its pod.
 */
async function retry(task: Task, context: TaskContext): Promise<TaskReport> {
  const { state } = task
  const { now, signal, jobs, mayStart } = context
  if (!mayStart) return idle(state)
  const due = state.nextRetryAt === undefined ? 0 : Date.parse(state.nextRetryAt) - now.getTime()
  if (due > 0) return { state, requeueAfterMs: due }
  const remaining = task.jobs()
  for (const job of remaining) await jobs.stop(job, signal)
  return remaining.length > 0 ? { state, requeueAfterMs: slowCheckMs } : submit(task, context)
}

async function observe(task: Task, context: TaskContext): Promise<TaskReport> {
  const { state, limits, readResults: read = attemptResults } = task
  const { now, signal, jobs } = context
  const job = state.jobRef && (await jobs.find(state.jobRef, signal))
  const outcome = job && jobOutcome(job)
  if (outcome && finishedByItself(job)) return finish(task, context, job, outcome)
  const deadline = deadlineOf(state, limits)
  const isLate = now.getTime() >= deadline
  const startDeadline = startDeadlineOf(state, limits)
  const isStartLate = now.getTime() >= startDeadline
  if (!job) {
    const pod = jobs.stopped.of(state.jobRef?.uid ?? '')
    if (pod === 'expected') return { state, requeueAfterMs: podCheckMs }
    const results = pod && read(pod, await jobs.outputOf(pod, false, signal))
    const end = isLate ? timeoutEnd(limits) : isStartLate ? notStarted(limits) : missing(state)
    return failedAttempt(task, now, { ...end, ...(results && { results }) })
  }
  if (isLate) {
    await jobs.stop(job, signal)
    return { state, requeueAfterMs: slowCheckMs }
  }
  const isDeleted = isBeingDeleted(job)
  if (isDeleted && !isStartLate) return { state, requeueAfterMs: slowCheckMs }
  const pod = await jobs.podOf(job, signal)
  const started = state.startedAt !== undefined || hasStarted(pod)
  if (!started) {
    const problem = startProblem(pod, job.metadata.name)
    if (!isStartLate) return { state, problem, requeueAfterMs: startDeadline - now.getTime() }
    // Recorded now: the pod, which shows the reason, is deleted with the Job.
    await jobs.stop(job, signal)
    return failedAttempt(task, now, notStarted(limits, problem))
  }
  if (isDeleted) return { state, requeueAfterMs: slowCheckMs }
  const running = { startedAt: rfc3339(now), ...state }
  const graceMs = publisherGrace(pod, now)
  if (graceMs !== undefined && graceMs <= 0) {
    // The log is deleted with the pod.
    const output = pod ? await jobs.outputOf(pod, true, signal) : noOutput
    await jobs.stop(job, signal)
    return failedAttempt({ ...task, state: running }, now, unpublished(pod, output))
  }
  const leftMs = Math.min(
    deadlineOf(running, limits) - now.getTime(),
    graceMs ?? Number.POSITIVE_INFINITY,
  )
  return { state: running, requeueAfterMs: Math.max(0, leftMs) }
}

/**
 * How long the publisher may run after the agent's container ended. Normally the agent's container waits for the
 * publisher. After a failure there is nothing to publish, for example where the agent's program could not be started.
 */
const publisherGraceMs = { succeeded: 300_000, failed: 15_000 }

function publisherGrace(pod: Pod | undefined, now: Date): number | undefined {
  const since = publisherOverdueSince(pod)
  if (since === undefined) return undefined
  const { succeeded, failed } = publisherGraceMs
  const graceMs = endOfWork(pod)?.exitCode === 0 ? succeeded : failed
  return since.getTime() + graceMs - now.getTime()
}

function unpublished(pod: Pod | undefined, output: PodOutput): AttemptEnd {
  const results = attemptResults(pod, output)
  const problem = publisherProblem(pod)
  const why =
    results.exitCode !== 0
      ? describeEnd(results)
      : problem === undefined
        ? 'the agent exited, but container publish received nothing to push'
        : `container publish cannot start: ${problem}`
  return { cause: 'failed', message: why, results }
}

function deadlineOf(state: TaskState, { timeoutSeconds }: TaskLimits): number {
  const { startedAt } = state
  if (timeoutSeconds === 0 || startedAt === undefined) return untilEvent
  return endOf(startedAt, timeoutSeconds)
}

function startDeadlineOf(state: TaskState, limits: TaskLimits): number {
  const { startedAt, submittedAt } = state
  const seconds = limits.startTimeoutSeconds ?? defaultStartTimeoutSeconds
  if (seconds === 0 || startedAt !== undefined || submittedAt === undefined) return untilEvent
  return endOf(submittedAt, seconds)
}

async function finish(
  task: Task,
  { now, jobs, signal }: TaskContext,
  job: Job,
  outcome: JobOutcome,
): Promise<TaskReport> {
  const pod = await jobs.podOf(job, signal)
  const hasFailed = outcome.phase === 'Failed'
  const output = pod ? await jobs.outputOf(pod, hasFailed, signal) : noOutput
  const { readResults: read = attemptResults } = task
  const results = read(pod, output)
  if (outcome.phase === 'Failed') {
    const isLate = outcome.reason === 'DeadlineExceeded'
    const isStoppedByRunner = hasReportedTimeout(task, results)
    return failedAttempt(task, now, {
      cause: isLate || isStoppedByRunner ? 'timedOut' : 'failed',
      message: isStoppedByRunner
        ? `timed out after ${task.runnerLimitSeconds} s`
        : isLate
          ? outcome.message
          : describeFailure(results, outcome.message),
      results,
      // The limit of the run as a whole leaves no time for another attempt.
      isFinal: isStoppedByRunner && task.limits.timeoutSeconds === 0,
    })
  }
  if (results.fault !== undefined) {
    return failedAttempt(task, now, {
      cause: 'failed',
      message: results.fault,
      results,
      // The program has done its work: repeating that would not help.
      isFinal: true,
    })
  }
  const at = rfc3339NotBefore(now, task.state.startedAt)
  return {
    state: {
      startedAt: at,
      ...task.state,
      phase: 'Succeeded',
      finishedAt: at,
      message: describeEnd(results),
    },
    results,
    requeueAfterMs: untilEvent,
  }
}

/**
 * Whether the runner stopped the program at its time limit, which it often notices before the controller does. Any
 * program can write such a report, so it counts only where there is a limit.
 */
function hasReportedTimeout({ runnerLimitSeconds }: Task, results: AttemptResults): boolean {
  return runnerLimitSeconds > 0 && results.report?.outcome === 'timedOut'
}

function describeFailure(results: AttemptResults, byJob: string): string {
  const isSilent = results.exitCode === undefined && results.text === undefined
  return isSilent && byJob !== '' ? byJob : describeEnd(results)
}

interface AttemptEnd {
  readonly cause: FailureFacts['cause']
  readonly message: string
  /** What kept the container from starting in time. */
  readonly problem?: StartProblem['reason']
  readonly results?: AttemptResults
  /** Whether there is no other attempt, however many are left. */
  readonly isFinal?: boolean
}

function notStarted(limits: TaskLimits, problem?: StartProblem): AttemptEnd {
  const seconds = limits.startTimeoutSeconds ?? defaultStartTimeoutSeconds
  const why = problem === undefined ? '' : `: ${problem.message}`
  return {
    cause: 'timedOut',
    message: `the container did not start within ${seconds} s${why}`,
    ...(problem && { problem: problem.reason }),
  }
}

function timeoutEnd({ timeoutSeconds }: TaskLimits): AttemptEnd {
  return { cause: 'timedOut', message: `timed out after ${timeoutSeconds} s` }
}

function missing({ jobRef }: TaskState): AttemptEnd {
  const name = jobRef?.name ?? 'unknown'
  const message = `Job ${name} was deleted before its outcome was recorded`
  return { cause: 'missing', message }
}

/** Records the failure before the next attempt is started, so that no outcome is lost; the next reconcile continues. */
function failedAttempt({ state, limits }: Task, now: Date, end: AttemptEnd): TaskReport {
  const { cause, message, results } = end
  const failure = failureClass({ ...end, ...results })
  const common = { ...(results && { results }), cause, failureClass: failure }
  const attempts = limits.retries + 1
  const which = attempts > 1 ? `attempt ${state.attempt} of ${attempts}: ` : ''
  const { nextRetryAt: _, ...before } = state
  const at = rfc3339NotBefore(now, state.startedAt)
  // An exit code implies that the container started, even if it was over before a reconcile saw it.
  const rest = { ...(results?.exitCode !== undefined && { startedAt: at }), ...before }
  const isLast = state.attempt >= attempts || end.isFinal === true
  const isOther = !isRetried(failure, limits.retryOn)
  if (isLast || isOther) {
    const why = isLast ? '' : `; not retried, because its class is ${failure}`
    return {
      ...common,
      state: { ...rest, phase: 'Failed', finishedAt: at, message: which + message + why },
      requeueAfterMs: untilEvent,
    }
  }
  const seconds = retryDelaySeconds({
    ...limits,
    attempt: state.attempt,
    failure,
    ...(results?.retryAfterSeconds !== undefined && {
      retryAfterSeconds: results.retryAfterSeconds,
    }),
    seed: state.jobRef?.uid ?? '',
  })
  // Timestamps have whole seconds; rounding up keeps the wait from being shorter than requested.
  const next = new Date(Math.ceil(now.getTime() / 1000 + seconds) * 1000)
  const isSoon = seconds === 0
  const nextRetryAt = isSoon ? at : rfc3339(next)
  const again = isSoon ? 'retrying now' : `retrying at ${nextRetryAt}`
  return {
    ...common,
    state: {
      ...rest,
      phase: 'Retrying',
      finishedAt: at,
      nextRetryAt,
      message: `${which}${message}; ${again}`,
    },
    requeueAfterMs: isSoon ? 0 : next.getTime() - now.getTime(),
  }
}
