import type { GateContext } from '@agents/controller'
import type { KubeObject } from '@agents/kube'
import { rfc3339, rfc3339NotBefore } from '@agents/status'
import { advanceTask, type Submission, type TaskContext, type TaskReport } from './advance-task.ts'
import type { AttemptJobs } from './attempt-jobs.ts'
import { jobName } from './attempt-names.ts'
import type { AttemptObjects } from './attempt-objects.ts'
import type { AttemptResults, ReadResults } from './attempt-results.ts'
import type { AttemptFailure } from './failure-class.ts'
import type { RunKind } from './run-kind.ts'
import type { RunProgress } from './run-progress.ts'
import {
  type Decided,
  decidedIn,
  runtimeRefOf,
  undecided,
  type WrittenRef,
  writtenRef,
} from './runtime-ref.ts'
import { submitJob } from './submit-job.ts'
import { pendingTask, type TaskLimits, type TaskState } from './task-state.ts'
import { hasFinished, isActive } from './work-phase.ts'

/** A run of any kind that one Job executes, and another Job for each further attempt. */
export type JobRun = KubeObject & {
  readonly status?: {
    readonly startedAt?: string | undefined
    readonly attempts?: number | undefined
    readonly runtimeRef?: WrittenRef | undefined
  }
}

/** The status fields that the job runtime writes for every kind of run. */
export interface JobDetail {
  readonly attempts: number | undefined
  readonly startedAt: string | undefined
  readonly runtimeRef: WrittenRef | undefined
}

/** An attempt that can be submitted, with what is decided when the first one is. */
export interface PreparedAttempt {
  readonly kind: 'prepared'
  readonly objects: AttemptObjects
  readonly decided: Decided
  readonly limits: TaskLimits
}

type Prepared = PreparedAttempt | Exclude<Submission, { kind: 'submitted' }>

/** How runs of one kind use the job runtime. */
export interface JobWork<Detail, Failure extends string> {
  /** The time limit that the program of the run enforces itself, until one is recorded. 0: none. */
  readonly runnerLimitSeconds: number
  /** If omitted, the report of agent-runner is expected. */
  readonly readResults?: ReadResults
  /** In the names of the Jobs. If omitted, those of AgentRuns. */
  readonly jobs?: RunKind['jobs']
  /** Builds the objects of an attempt, or reports why that is not possible yet, or permanently. */
  prepare(attempt: number): Prepared | Promise<Prepared>
  resultDetail(results: AttemptResults): Partial<Detail>
  retryDetail(report: TaskReport): Partial<Detail>
  failureOf(cause: AttemptFailure, report: TaskReport, limits: TaskLimits): Failure
}

export interface JobRuntimeContext<Run extends JobRun> extends GateContext, TaskContext {
  readonly jobs: AttemptJobs<Run>
}

/** Creates the next Job of the run if one is due, and reports the progress of the work. */
export async function advanceJobRun<
  Run extends JobRun,
  Detail extends JobDetail,
  Failure extends string,
>(
  run: Run,
  work: JobWork<Detail, Failure>,
  context: JobRuntimeContext<Run>,
): Promise<RunProgress<Detail, Failure>> {
  const { jobs, now } = context
  const before = runtimeRefOf(run)
  let decided: Decided | undefined = before
  let limits = before?.limits ?? noLimits
  const state = stateOf(run)
  const report = await advanceTask(
    {
      state,
      limits,
      // Nothing is recorded if a process ended after it created the Job.
      runnerLimitSeconds: before?.runTimeoutSeconds || work.runnerLimitSeconds,
      ...(work.readResults && { readResults: work.readResults }),
      jobs: () => jobs.of(run).filter(({ metadata }) => metadata.name === state.jobRef?.name),
      submit: async (attempt) => {
        const prepared = await work.prepare(attempt)
        if (prepared.kind !== 'prepared') return prepared
        decided ??= prepared.decided
        limits = before?.limits ?? prepared.limits
        return submitJob(() => jobs.submit(run, prepared.objects, context))
      },
      unrecorded: (attempt) => {
        const name = jobName(run.metadata.name, { attempt, ofKind: work.jobs })
        return jobs.of(run).find(({ metadata }) => metadata.name === name)
      },
    },
    context,
  )
  decided ??= report.state.jobRef && undecided
  return progressOf(run, work, report, limits, decided, now)
}

/** The status fields of a run whose Jobs were stopped. */
export function stoppedJobRun(
  run: JobRun,
  message: string,
  now: Date,
): Partial<Pick<JobDetail, 'runtimeRef'>> {
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
}

const noLimits: TaskLimits = { retries: 0, retryBackoffSeconds: 0, timeoutSeconds: 0 }

function stateOf(run: JobRun): TaskState {
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

function progressOf<Detail extends JobDetail, Failure extends string>(
  run: JobRun,
  work: JobWork<Detail, Failure>,
  report: TaskReport,
  limits: TaskLimits,
  decided: Decided | undefined,
  now: Date,
): RunProgress<Detail, Failure> {
  const { state, results, cause, problem, requeueAfterMs } = report
  const { jobRef, submittedAt, attempt, ...task } = state
  const started =
    run.status?.startedAt !== undefined ||
    state.startedAt !== undefined ||
    results?.exitCode !== undefined
  const { message: _, ...quiet } = task
  // The reason of a retry is known only when the attempt fails, and is shown until the next attempt starts.
  const kept = task.phase === 'Retrying' ? task : quiet
  const detail: Partial<JobDetail> = {
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
  }
  return {
    phase: task.phase === 'Pending' ? 'Running' : task.phase,
    started,
    message: describe(state, limits),
    requeueAfterMs,
    ...(problem && { problem }),
    ...(cause && { cause, failure: work.failureOf(cause, report, limits) }),
    ...(cause && { failedAttempt: state.message ?? cause }),
    ...(results && { results }),
    detail: {
      ...(results && work.resultDetail(results)),
      ...work.retryDetail(report),
      ...(detail as Partial<Detail>),
    },
  }
}

function describe(state: TaskState, { retries }: TaskLimits): string {
  if (state.phase !== 'Running') return state.message ?? ''
  const which = retries > 0 ? `attempt ${state.attempt} of ${retries + 1} is ` : ''
  return `${which}running as Job ${state.jobRef?.name}`
}
