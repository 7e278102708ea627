import type { AgentRun } from '@agents/jangar-api'
import { rfc3339, rfc3339NotBefore } from '@agents/status'
import { advanceTask, type TaskReport } from '../../../jobs/advance-task.ts'
import { jobName } from '../../../jobs/attempt-names.ts'
import type { AttemptFailure } from '../../../jobs/failure-class.ts'
import { jobFailure } from '../../../jobs/run-progress.ts'
import { submitJob } from '../../../jobs/submit-job.ts'
import { pendingTask, type TaskLimits, type TaskState } from '../../../jobs/task-state.ts'
import { hasFinished, isActive } from '../../../jobs/work-phase.ts'
import type { Failure } from './failure.ts'
import { resultDetail, retryDetail } from './result-detail.ts'
import type { AgentRunProgress, Runtime } from './runtime.ts'
import {
  type Decided,
  decidedBy,
  decidedIn,
  limitsOf,
  runtimeRefOf,
  undecided,
  writtenRef,
} from './runtime-ref.ts'

/** Runs the work as one Job, and another Job for each further attempt. */
export const jobRuntime: Runtime = {
  advance: async (run, context) => {
    const { jobs, factory, now } = context
    const before = runtimeRefOf(run)
    let decided: Decided | undefined = before
    let limits = before?.limits ?? noLimits
    const state = stateOf(run)
    const report = await advanceTask(
      {
        state,
        limits,
        // Nothing is recorded if a process ended after it created the Job.
        runnerLimitSeconds: before?.runTimeoutSeconds || (run.spec.timeoutSeconds ?? 0),
        jobs: () => jobs.of(run).filter(({ metadata }) => metadata.name === state.jobRef?.name),
        submit: async (attempt) => {
          const resolution = factory.resolve(run, undefined)
          if (resolution.kind !== 'resolved') return resolution
          const { work } = resolution
          const objects = factory.build(work, { run, attempt })
          if (objects.kind === 'refused') return objects
          decided ??= decidedBy(work)
          // Attempts have no time limit of their own: that of the run covers them.
          limits = before?.limits ?? limitsOf(work, 0)
          return submitJob(() => jobs.submit(run, objects, context))
        },
        unrecorded: (attempt) => {
          const name = jobName(run.metadata.name, { attempt })
          return jobs.of(run).find(({ metadata }) => metadata.name === name)
        },
      },
      context,
    )
    decided ??= report.state.jobRef && undecided
    return progressOf(run, report, limits, decided, now)
  },
  stopped: (run, message, now) => {
    const ref = runtimeRefOf(run)
    if (!ref?.task || !isActive(ref.task.phase)) return {}
    const { nextRetryAt: _, ...task } = ref.task
    const ended = {
      ...task,
      phase: 'Failed',
      finishedAt: rfc3339NotBefore(now, task.startedAt),
      message,
    } as const
    return { runtimeRef: writtenRef({ ...ref, task: ended }) }
  },
}

const noLimits: TaskLimits = { retries: 0, retryBackoffSeconds: 0, timeoutSeconds: 0 }

function stateOf(run: AgentRun): TaskState {
  const ref = runtimeRefOf(run)
  const { task, name, namespace, uid, submittedAt } = ref ?? {}
  if (!task) return pendingTask
  return {
    ...task,
    attempt: run.status?.attempts ?? 0,
    ...(name && namespace && uid && { jobRef: { name, namespace, uid } }),
    ...(submittedAt && { submittedAt }),
  }
}

function progressOf(
  run: AgentRun,
  report: TaskReport,
  limits: TaskLimits,
  decided: Decided | undefined,
  now: Date,
): AgentRunProgress {
  const { state, results, cause, problem, requeueAfterMs } = report
  const { jobRef, submittedAt, attempt, ...task } = state
  const started =
    run.status?.startedAt !== undefined ||
    state.startedAt !== undefined ||
    results?.exitCode !== undefined
  const { message: _, ...quiet } = task
  // The reason of a retry is known only when the attempt fails, and is shown until the next attempt starts.
  const kept = task.phase === 'Retrying' ? task : quiet
  return {
    phase: task.phase === 'Pending' ? 'Running' : task.phase,
    started,
    message: describe(state, limits),
    requeueAfterMs,
    ...(problem && { problem }),
    ...(cause && { cause, failure: failureOf(cause, report, limits) }),
    ...(cause && { failedAttempt: state.message ?? cause }),
    ...(results && { results }),
    detail: {
      ...(results && resultDetail(run, results)),
      ...retryDetail(report),
      ...(hasFinished(task.phase) &&
        started &&
        !run.status?.startedAt && { startedAt: rfc3339(now) }),
      ...(decided && {
        attempts: attempt,
        runtimeRef: writtenRef({
          type: 'job',
          ...jobRef,
          submittedAt,
          ...decidedIn(decided),
          limits,
          task: kept,
        }),
      }),
    },
  }
}

function failureOf(
  cause: AttemptFailure,
  { state, results }: TaskReport,
  limits: TaskLimits,
): Failure {
  if (results?.report?.reason === 'ChangesRequired') return 'NoChanges'
  return jobFailure(cause, state, limits)
}

function describe(state: TaskState, { retries }: TaskLimits): string {
  if (state.phase !== 'Running') return state.message ?? ''
  const which = retries > 0 ? `attempt ${state.attempt} of ${retries + 1} is ` : ''
  return `${which}running as Job ${state.jobRef?.name}`
}
