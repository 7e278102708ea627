import type { GateContext } from '@agents/controller'
import type { Job, KubeObject } from '@agents/kube'
import { rfc3339 } from '@agents/status'
import { stopMessage, stoppingBudget } from '../kubernetes/budget-stop.ts'
import type { AttemptJobs } from './attempt-jobs.ts'
import type { RunProgress } from './run-progress.ts'
import { type RunWithRef, runtimeRefOf, type WrittenRef } from './runtime-ref.ts'
import { podCheckMs, stopRecheckMs, waitingForJobs } from './stop-jobs.ts'
import { endOf } from './task-state.ts'

/** A run of any kind that Jobs execute and that can be cancelled. */
type AdvancedRun = KubeObject & {
  readonly spec?: { readonly cancel?: boolean | undefined }
  readonly status?: {
    readonly startedAt?: string | undefined
    readonly runtimeRef?: WrittenRef | undefined
  }
}

/** The status fields that are written when a run is stopped. */
interface StopDetail {
  readonly startedAt: string | undefined
  readonly nextRetryAt: string | undefined
}

/** How the work of a run is executed. */
interface Execution<Run, Detail, Failure extends string> {
  /** Creates the next Job if one is due and `mayStart`, and reports the progress of the work. */
  advance(run: Run, mayStart: boolean): Promise<RunProgress<Detail, Failure>>
  /** Why the work has to stop, if a Budget demands it. */
  budgetStop?(run: Run): string | undefined
  /** The status fields of work that was stopped. */
  stopped(run: Run, message: string, now: Date, failure?: Failure): Partial<Detail>
}

/** Reasons for which a run is stopped, beside its cancellation. */
type StopFailure = 'TimedOut' | 'BudgetExceeded'

/** Takes the next step of an admitted run, which may create a Job. Stops one that is cancelled, late or overspent. */
export async function advanceRun<
  Run extends AdvancedRun,
  Detail extends StopDetail,
  Failure extends string,
>(
  run: Run,
  jobs: AttemptJobs<Run>,
  execution: Execution<Run, Detail, Failure | StopFailure>,
  context: GateContext,
): Promise<RunProgress<Detail, Failure | StopFailure>> {
  const { now } = context
  const { startedAt } = run.status ?? {}
  const isCancelled = run.spec?.cancel === true
  const isLate = now.getTime() >= deadlineOf(run, startedAt)
  const overspent = execution.budgetStop?.(run)
  const mayStart = !isCancelled && !isLate && overspent === undefined
  const progress = await execution.advance(run, mayStart)
  const stopping = { run, jobs, execution, context, progress }
  if (isCancelled) {
    const budget = stoppingBudget(run)
    if (budget === undefined) {
      return stop(stopping, { phase: 'Cancelled', message: 'cancelled by spec.cancel' })
    }
    const message = stopMessage(budget)
    return stop(stopping, { phase: 'Failed', failure: 'BudgetExceeded', message })
  }
  if (isLate && !hasEndedByItself(progress)) {
    const message = `timed out after ${runtimeRefOf(run)?.runTimeoutSeconds} s`
    return stop(stopping, { phase: 'Failed', failure: 'TimedOut', message })
  }
  if (overspent !== undefined && !hasEndedByItself(progress)) {
    const message = overspent
    return stop(stopping, { phase: 'Failed', failure: 'BudgetExceeded', message })
  }
  const deadline = deadlineOf(run, startedAt ?? (progress.started ? rfc3339(now) : undefined))
  const requeueAfterMs = Math.min(progress.requeueAfterMs, deadline - now.getTime())
  return { ...progress, requeueAfterMs }
}

/**
 * The deadline of the run as a whole, counted from its start: time spent on pulling images or scheduling does not
 * count.
 */
function deadlineOf(run: RunWithRef, startedAt: string | undefined): number {
  const { runTimeoutSeconds = 0 } = runtimeRefOf(run) ?? {}
  if (runTimeoutSeconds === 0 || startedAt === undefined) return Number.POSITIVE_INFINITY
  return endOf(startedAt, runTimeoutSeconds)
}

/** Whether the work ended, and not because it was stopped. */
function hasEndedByItself({ phase, cause }: Pick<RunProgress, 'phase' | 'cause'>): boolean {
  return phase === 'Succeeded' || (phase === 'Failed' && cause === 'failed')
}

function nameOf({ metadata }: Job): string {
  return metadata.name
}

interface Stopping<Run extends KubeObject, Detail, Failure extends string> {
  readonly run: Run
  readonly jobs: AttemptJobs<Run>
  readonly execution: Execution<Run, Detail, Failure>
  readonly context: GateContext
  /** Before it was stopped. */
  readonly progress: RunProgress<Detail, Failure>
}

interface Stop<Failure extends string> {
  readonly phase: 'Cancelled' | 'Failed'
  readonly failure?: Failure
  readonly message: string
}

/** Stops all Jobs. The end is reported when none is left, with the results of an attempt that ended before. */
async function stop<Run extends AdvancedRun, Detail extends StopDetail, Failure extends string>(
  { run, jobs, execution, context, progress }: Stopping<Run, Detail, Failure>,
  { phase, failure, message }: Stop<Failure>,
): Promise<RunProgress<Detail, Failure>> {
  const { now, signal } = context
  const { started, results, detail: observed } = progress
  const remaining = jobs.unfinished(run)
  for (const job of remaining) await jobs.stop(job, signal)
  const { uid = '', name = '' } = runtimeRefOf(run) ?? {}
  // The Job is deleted. What its program has used is in the status of its pod.
  const isPodExpected = !results && jobs.stopped.of(uid) === 'expected'
  if (remaining.length > 0 || isPodExpected) {
    const names = remaining.length > 0 ? remaining.map(nameOf) : [name]
    return {
      phase: phase === 'Cancelled' ? 'Cancelling' : 'Running',
      started,
      message: `${message}; ${waitingForJobs(names)}`,
      detail: {},
      requeueAfterMs: isPodExpected ? podCheckMs : stopRecheckMs,
    }
  }
  const kept: Partial<Detail> = results ? observed : {}
  const known = { ...run, status: { ...run.status, ...kept } }
  const ended: Partial<StopDetail> = { nextRetryAt: undefined }
  // The run may have ended before a reconcile observed it running.
  const begun: Partial<StopDetail> =
    started && !run.status?.startedAt ? { startedAt: rfc3339(now) } : {}
  const detail: Partial<Detail> = {
    ...(begun as Partial<Detail>),
    ...kept,
    ...execution.stopped(known, message, now, failure),
    ...(ended as Partial<Detail>),
  }
  const requeueAfterMs = Number.POSITIVE_INFINITY
  return { phase, started, message, detail, requeueAfterMs, ...(failure && { failure }) }
}
