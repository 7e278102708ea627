import type { AgentRun } from '@agents/jangar-api'
import { rfc3339 } from '@agents/status'
import type { Failure, Progress } from '../progress.ts'
import { advanceTask, type Cause, type TaskReport } from '../task/advance-task.ts'
import { handOver } from '../task/hand-over.ts'
import { pendingTask, type TaskLimits, type TaskState } from '../task/task-state.ts'
import { resultDetail } from './result-detail.ts'
import type { Runtime } from './runtime.ts'
import { type Decided, decidedBy, decidedIn, runtimeRefOf, writtenRef } from './runtime-ref.ts'

/** The whole run is one Job, and another one for each further attempt. */
export const jobRuntime: Runtime = {
  advance: async (run, look, workshop) => {
    const before = runtimeRefOf(run)
    let decided: Decided | undefined = before
    let limits = before?.limits ?? noLimits
    const state = stateOf(run)
    const report = await advanceTask(
      {
        state,
        limits,
        jobs: () =>
          look.jobs.of(run).filter(({ metadata }) => metadata.name === state.jobRef?.name),
        submit: async (attempt) => {
          const resolution = workshop.resolve(run, undefined)
          if (resolution.kind !== 'resolved') return resolution
          const { work } = resolution
          const objects = workshop.build(work, { run, attempt })
          if (objects.kind === 'refused') return objects
          decided ??= decidedBy(work)
          limits = before?.limits ?? limitsOf(work)
          return handOver(() => look.jobs.submit(run, objects, look))
        },
      },
      look,
    )
    return progressOf(run, report, limits, decided, look.now)
  },
  interrupted: (run, message, now) => {
    const ref = runtimeRefOf(run)
    if (!ref?.task || !isUnderWay(ref.task.phase)) return {}
    const { nextRetryAt: _, ...task } = ref.task
    const stopped = { ...task, phase: 'Failed', finishedAt: rfc3339(now), message } as const
    return { runtimeRef: writtenRef({ ...ref, task: stopped }) }
  },
}

const noLimits: TaskLimits = { retries: 0, retryBackoffSeconds: 0, timeoutSeconds: 0 }

/** The limit of time is that of the run as a whole, which its attempts share. */
function limitsOf(work: { retries: number; retryBackoffSeconds: number }): TaskLimits {
  const { retries, retryBackoffSeconds } = work
  return { retries, retryBackoffSeconds, timeoutSeconds: 0 }
}

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
): Progress {
  const { state, results, cause, trouble, recheckAfterMs } = report
  const { jobRef, submittedAt, attempt, ...task } = state
  const begun =
    run.status?.startedAt !== undefined ||
    state.startedAt !== undefined ||
    results?.exitCode !== undefined
  const isOver = task.phase === 'Succeeded' || task.phase === 'Failed'
  const { message: _, ...quiet } = task
  // Why it is tried again is found out once, and told until then.
  const kept = task.phase === 'Retrying' ? task : quiet
  return {
    kind: kindOf(task.phase),
    begun,
    message: describe(state, limits),
    recheckAfterMs,
    ...(trouble && { trouble }),
    ...(cause && { cause, failure: failureOf(cause, limits) }),
    ...(cause && { failedAttempt: state.message ?? cause }),
    ...(results && { results }),
    detail: {
      ...(results && resultDetail(run, results)),
      ...(isOver && begun && !run.status?.startedAt && { startedAt: rfc3339(now) }),
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

/** Begun or to be tried again, so that it ends with the run when that is stopped. */
export function isUnderWay(phase: string | undefined): boolean {
  return phase === 'Running' || phase === 'Retrying'
}

export function kindOf(phase: TaskState['phase']): Progress['kind'] {
  if (phase === 'Succeeded') return 'succeeded'
  if (phase === 'Failed') return 'failed'
  return phase === 'Retrying' ? 'retrying' : 'running'
}

function describe(state: TaskState, { retries }: TaskLimits): string {
  if (state.phase !== 'Running') return state.message ?? ''
  const which = retries > 0 ? `attempt ${state.attempt} of ${retries + 1} ` : ''
  return `${which}runs as Job ${state.jobRef?.name}`
}

function failureOf(cause: Cause, { retries }: TaskLimits): Failure {
  if (cause === 'missing') return 'JobMissing'
  if (cause === 'timedOut') return 'TimedOut'
  if (cause === 'refused') return 'Failed'
  return retries > 0 ? 'RetriesExhausted' : 'JobFailed'
}
