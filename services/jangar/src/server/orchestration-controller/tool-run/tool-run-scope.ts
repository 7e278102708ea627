import type { GateContext } from '@agents/controller'
import type { ToolRun } from '@agents/jangar-api'
import type { ControllersConfig } from '../../../config/controllers.ts'
import { advanceRun } from '../../jobs/advance-run.ts'
import type { AttemptJobs } from '../../jobs/attempt-jobs.ts'
import { advanceJobRun, type JobWork, stoppedJobRun } from '../../jobs/job-runtime.ts'
import { jobFailure } from '../../jobs/run-progress.ts'
import { isTrue } from '../../kubernetes/condition-of.ts'
import type { RunClaims } from '../../kubernetes/run-claims.ts'
import { toolJob } from './tool-job.ts'
import type { ToolResolution, ToolWork } from './tool-resolution.ts'
import { toolResults } from './tool-results.ts'
import type { ToolFailure, ToolRunDetail, ToolRunProgress } from './tool-run-detail.ts'
import { toolRunKind } from './tool-run-kind.ts'

/** What the gates of one reconcile share: each result is computed once. */
export interface ToolRunScope {
  resolution(): ToolResolution
  /** Creates the next Job if one is due, and reports the progress of the work. */
  progress(): Promise<ToolRunProgress>
  /** Whether the status has to be written at once: only the status keeps a deliveryId when the process ends. */
  isUrgent(): boolean
}

export interface ToolRunScopePorts {
  readonly jobs: AttemptJobs<ToolRun>
  readonly resolve: (run: ToolRun) => ToolResolution
  readonly claims: Pick<RunClaims, 'hasClaims'>
  readonly runner: ControllersConfig['runner']
  /** The W3C traceparent of an attempt, by its Job. If omitted, nothing is traced. */
  readonly traceparent?: ((run: ToolRun, job: string) => string) | undefined
  /** Why no Job may be created for the run now, although it is admitted. */
  readonly startProblem: (run: ToolRun, work: ToolWork) => string | undefined
  /** Why the run has to stop, if a Budget demands it. */
  readonly budgetStop?: ((run: ToolRun) => string | undefined) | undefined
  /** Called for a failed attempt that will be retried. */
  readonly onFailedAttempt: (run: ToolRun, message: string) => void
}

export function toolRunScope(
  run: ToolRun,
  context: GateContext,
  ports: ToolRunScopePorts,
): ToolRunScope {
  const { jobs, resolve, claims, budgetStop, onFailedAttempt } = ports
  let resolution: ToolResolution | undefined
  let progress: Promise<ToolRunProgress> | undefined
  const resolveOnce = (): ToolResolution => {
    resolution ??= resolve(run)
    return resolution
  }
  const work = toolRunWork(run, resolveOnce, ports)
  const advance = async (): Promise<ToolRunProgress> => {
    const execution = {
      advance: (one: ToolRun, mayStart: boolean) =>
        advanceJobRun(one, work, { ...context, jobs, mayStart }),
      stopped: stoppedJobRun,
      ...(budgetStop && { budgetStop }),
    }
    const advanced = await advanceRun<ToolRun, ToolRunDetail, ToolFailure>(
      run,
      jobs,
      execution,
      context,
    )
    const { failedAttempt, phase } = advanced
    if (failedAttempt !== undefined && phase === 'Retrying') onFailedAttempt(run, failedAttempt)
    return advanced
  }
  return {
    resolution: resolveOnce,
    progress: () => {
      progress ??= advance()
      return progress
    },
    isUrgent: () => claims.hasClaims(run) && !isTrue(run, 'Accepted'),
  }
}

function toolRunWork(
  run: ToolRun,
  resolve: () => ToolResolution,
  {
    runner,
    startProblem,
    traceparent,
  }: Pick<ToolRunScopePorts, 'runner' | 'startProblem' | 'traceparent'>,
): JobWork<ToolRunDetail, ToolFailure> {
  return {
    // The program of a tool does not know its time limit.
    runnerLimitSeconds: 0,
    readResults: toolResults,
    jobs: toolRunKind.jobs,
    prepare: (attempt) => {
      const resolution = resolve()
      if (resolution.kind !== 'resolved') return resolution
      const { work } = resolution
      const problem = startProblem(run, work)
      if (problem !== undefined) return { kind: 'refused', message: problem }
      const objects = toolJob(run, work, attempt, { runner, traceparent })
      return { kind: 'prepared', objects, decided: work.decided, limits: work.limits }
    },
    resultDetail: ({ exitCode, outputs }) => ({
      ...(exitCode !== undefined && { exitCode }),
      ...(outputs && { outputs: { ...outputs } }),
    }),
    retryDetail: ({ state: { phase, nextRetryAt } }) => ({
      nextRetryAt: phase === 'Retrying' ? nextRetryAt : undefined,
    }),
    failureOf: (cause, report, limits) =>
      report.results?.fault === undefined ? jobFailure(cause, report, limits) : 'InvalidOutputs',
  }
}
