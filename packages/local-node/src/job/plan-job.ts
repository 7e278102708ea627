import type { BuiltinCondition, Pod } from '@agents/kube'
import { backoffLeft, type JobBackoff } from './job-backoff.ts'
import {
  backoffLimitExceeded,
  completionsReached,
  deadlineExceeded,
  type JobConditionType,
  resumed,
  suspended,
  trackingFinalizer,
  type Verdict,
} from './job-conditions.ts'
import { respondToFailure } from './pod-failure-policy.ts'
import { podName } from './pod-of-job.ts'
import {
  countedAttempts,
  isTrue,
  type JobStatus,
  outcomeOf,
  type TrackedJob,
} from './tracked-job.ts'

export interface JobPlan {
  /** The complete status to write. */
  readonly status: JobStatus
  /** Whether an outcome was counted or the Job ended, which must be written before anything else is done. */
  readonly recordFirst: boolean
  /** Number of the attempt whose pod has to be created. */
  readonly create?: number
  /** A pod that must be deleted. `uncounted`: it does not count as a failure. */
  readonly end?: { readonly pod: Pod; readonly uncounted: boolean }
  /** Pods whose outcome is counted, so that their finalizer can be removed. */
  readonly release: readonly Pod[]
  readonly recheckAfterMs?: number
}

/**
 * The next step for a Job that has not finished. Attempts follow one another: each has one pod, whose name is derived
 * from the number of outcomes counted before it. A crash at any point repeats a step, but never performs one twice.
 */
export function planJob(
  job: TrackedJob,
  pods: readonly Pod[],
  { now, begunAt = now }: { readonly now: Date; readonly begunAt?: Date },
  backoff: JobBackoff,
  lastSeenFailure?: number,
): JobPlan {
  const byName = new Map(pods.map((pod) => [pod.metadata.name, pod]))
  const { attempt, current } = currentAttempt(job, byName)
  const status: JobStatus = { ...job.status, conditions: [...(job.status?.conditions ?? [])] }
  const set = (type: JobConditionType, verdict: Verdict, value: 'True' | 'False' = 'True') =>
    setCondition(status, type, verdict, value, now)

  const isSuspended = job.spec.suspend === true
  resumeOrSuspend(status, isSuspended, set, { now, begunAt })
  const counted = countOutcome(job, status, current, set)
  const running = counted ? undefined : current
  failIfDue(job, status, running, now, set)

  const failing = isTrue(status, 'FailureTarget')
  const done = !failing && isDone(job, status, running)
  if (done) set('SuccessCriteriaMet', completionsReached)
  const ended = (failing || done) && running === undefined
  if (ended) finish(status, failing, set, now)
  Object.assign(status, tally(running))

  const base = {
    status: tidy(status),
    recordFirst: counted || ended,
    release: pods.filter((pod) => isTracked(pod) && pod !== running),
  }
  if (ended || counted) return base
  if (running !== undefined) return { ...base, ...whileRunning(job, running, { failing, now }) }
  if (failing || isSuspended || job.spec.parallelism === 0) return base
  const wait = backoffLeft(pods, now, backoff, lastSeenFailure)
  const deadline = untilDeadline(job, status, now)
  if (wait > 0) return { ...base, recheckAfterMs: Math.min(wait, deadline) }
  return { ...base, create: attempt, recheckAfterMs: deadline }
}

/** A pod that the failure policy ignored has used its attempt, although no outcome was counted. */
function currentAttempt(job: TrackedJob, byName: ReadonlyMap<string, Pod>) {
  for (let attempt = countedAttempts(job); ; attempt += 1) {
    const current = byName.get(podName(job, attempt))
    if (current === undefined || !isIgnored(job, current)) return { attempt, current }
  }
}

function isIgnored(job: TrackedJob, pod: Pod): boolean {
  if (outcomeOf(pod) !== 'failed') return false
  return respondToFailure(job.spec.podFailurePolicy, pod).action === 'ignore'
}

type SetCondition = (type: JobConditionType, verdict: Verdict, value?: 'True' | 'False') => boolean

function resumeOrSuspend(
  status: JobStatus,
  isSuspended: boolean,
  set: SetCondition,
  { now, begunAt }: { readonly now: Date; readonly begunAt: Date },
): void {
  if (isSuspended) {
    set('Suspended', suspended)
    return
  }
  // The deadline does not include the time that a Job was suspended.
  const isResumed = isTrue(status, 'Suspended') && set('Suspended', resumed, 'False')
  if (isResumed) status.startTime = seconds(now)
  else status.startTime ??= seconds(begunAt)
}

function countOutcome(
  job: TrackedJob,
  status: JobStatus,
  current: Pod | undefined,
  set: SetCondition,
): boolean {
  const outcome = current && outcomeOf(current)
  if (current === undefined || outcome === undefined || isUncounted(current)) return false
  status[outcome] = (status[outcome] ?? 0) + 1
  if (outcome === 'succeeded' || isTrue(status, 'FailureTarget')) return true
  const response = respondToFailure(job.spec.podFailurePolicy, current)
  if (response.action === 'fail') set('FailureTarget', response.verdict)
  return true
}

function failIfDue(
  job: TrackedJob,
  status: JobStatus,
  running: Pod | undefined,
  now: Date,
  set: SetCondition,
): void {
  if (isTrue(status, 'FailureTarget') || isDone(job, status, running)) return
  const limit = job.spec.backoffLimit ?? 6
  if ((status.failed ?? 0) > limit || restartsExceed(running, limit)) {
    set('FailureTarget', backoffLimitExceeded)
  } else if (job.spec.suspend !== true && untilDeadline(job, status, now) <= 0) {
    set('FailureTarget', deadlineExceeded)
  }
}

/** If the node restarts containers in place, their restarts count as failures. */
function restartsExceed(pod: Pod | undefined, limit: number): boolean {
  if (pod?.spec.restartPolicy !== 'OnFailure') return false
  const statuses = [
    ...(pod.status?.initContainerStatuses ?? []),
    ...(pod.status?.containerStatuses ?? []),
  ]
  const restarts = statuses.reduce((sum, { restartCount }) => sum + restartCount, 0)
  return limit === 0 ? restarts > 0 : restarts >= limit
}

/** Without a number of completions, one success is enough. */
function isDone(job: TrackedJob, status: JobStatus, running: Pod | undefined): boolean {
  const { completions } = job.spec
  const succeeded = status.succeeded ?? 0
  if (completions !== undefined) return succeeded >= completions
  return succeeded > 0 && running === undefined
}

function finish(status: JobStatus, failing: boolean, set: SetCondition, now: Date): void {
  if (!failing) {
    set('Complete', completionsReached)
    status.completionTime = seconds(now)
    return
  }
  const target = status.conditions?.find(({ type }) => type === 'FailureTarget')
  set('Failed', { reason: target?.reason ?? '', message: target?.message ?? '' })
}

function whileRunning(
  job: TrackedJob,
  pod: Pod,
  { failing, now }: { failing: boolean; now: Date },
): Pick<JobPlan, 'end' | 'recheckAfterMs'> {
  const isTerminating = pod.metadata.deletionTimestamp !== undefined
  const mustEnd = failing || job.spec.suspend === true || job.spec.parallelism === 0
  if (isTerminating || outcomeOf(pod) !== undefined) return {}
  if (mustEnd) return { end: { pod, uncounted: !failing } }
  return { recheckAfterMs: untilDeadline(job, job.status ?? {}, now) }
}

/** Deleted on purpose, because the Job was suspended: the attempt starts again. */
function isUncounted(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp !== undefined && !isTracked(pod)
}

function tally(running: Pod | undefined): Pick<JobStatus, 'active' | 'ready' | 'terminating'> {
  const isTerminating = running?.metadata.deletionTimestamp !== undefined
  const isReady = (running?.status?.conditions ?? []).some(
    ({ type, status }) => type === 'Ready' && status === 'True',
  )
  const isActive = running !== undefined && !isTerminating
  return {
    active: isActive ? 1 : 0,
    ready: isActive && isReady ? 1 : 0,
    terminating: isTerminating ? 1 : 0,
  }
}

/** Infinity if there is no deadline, or the Job has not started. */
function untilDeadline({ spec }: TrackedJob, { startTime }: JobStatus, now: Date): number {
  if (spec.activeDeadlineSeconds === undefined) return Number.POSITIVE_INFINITY
  const start = startTime === undefined ? now.getTime() : Date.parse(startTime) + wholeSecond
  return start + spec.activeDeadlineSeconds * 1000 - now.getTime()
}

/** Times in the API are truncated to seconds; a deadline is rather late than early. */
const wholeSecond = 1000

export function isTracked({ metadata }: Pod): boolean {
  return metadata.finalizers?.includes(trackingFinalizer) === true
}

/** Returns whether anything changed. */
function setCondition(
  status: JobStatus,
  type: JobConditionType,
  { reason, message }: Verdict,
  value: 'True' | 'False',
  now: Date,
): boolean {
  const conditions = status.conditions ?? []
  const at = conditions.findIndex((one) => one.type === type)
  if (conditions[at]?.status === value) return false
  const time = seconds(now)
  const condition: BuiltinCondition = {
    type,
    status: value,
    lastProbeTime: time,
    lastTransitionTime: time,
    reason,
    message,
  }
  status.conditions = at === -1 ? [...conditions, condition] : conditions.with(at, condition)
  return true
}

/** Omits counts of zero, except for two, as the API does. */
function tidy({ active, succeeded, failed, conditions, ...rest }: JobStatus): JobStatus {
  return {
    ...rest,
    ...(active !== undefined && active > 0 && { active }),
    ...(succeeded !== undefined && succeeded > 0 && { succeeded }),
    ...(failed !== undefined && failed > 0 && { failed }),
    ...(conditions !== undefined && conditions.length > 0 && { conditions }),
    uncountedTerminatedPods: {},
  }
}

function seconds(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`
}
