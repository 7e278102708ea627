import type { GateContext } from '@agents/controller'
import type { AgentRun } from '@agents/jangar-api'
import type { Job } from '@agents/kube'
import { rfc3339 } from '@agents/status'
import type { AttemptJobs } from '../../../jobs/attempt-jobs.ts'
import { podCheckMs, stopRecheckMs, waitingForJobs } from '../../../jobs/stop-jobs.ts'
import { endOf } from '../../../jobs/task-state.ts'
import type { Failure } from './failure.ts'
import { jobRuntime } from './job-runtime.ts'
import type { AgentRunProgress, Runtime, WorkFactory } from './runtime.ts'
import { runtimeRefOf } from './runtime-ref.ts'
import { workflowRuntime } from './workflow-runtime.ts'

/** Takes the next step of an admitted run, which may create a Job. Stops the run if it is cancelled or timed out. */
export async function advanceRun(
  run: AgentRun,
  jobs: AttemptJobs<AgentRun>,
  factory: WorkFactory,
  context: GateContext,
): Promise<AgentRunProgress> {
  const { now } = context
  const runtime = runtimeOf(run)
  const { startedAt } = run.status ?? {}
  const isCancelled = run.spec.cancel === true
  const isLate = now.getTime() >= deadlineOf(run, startedAt)
  const mayStart = !isCancelled && !isLate
  const progress = await runtime.advance(run, { ...context, jobs, factory, mayStart })
  if (isCancelled) {
    const message = 'cancelled by spec.cancel'
    return stop(run, progress, jobs, context, { runtime, phase: 'Cancelled', message })
  }
  if (isLate && !hasEndedByItself(progress)) {
    const message = `timed out after ${runtimeRefOf(run)?.runTimeoutSeconds} s`
    const late = { runtime, phase: 'Failed', failure: 'TimedOut', message } as const
    return stop(run, progress, jobs, context, late)
  }
  const deadline = deadlineOf(run, startedAt ?? (progress.started ? rfc3339(now) : undefined))
  const requeueAfterMs = Math.min(progress.requeueAfterMs, deadline - now.getTime())
  return { ...progress, requeueAfterMs }
}

function runtimeOf({ spec }: AgentRun): Runtime {
  return spec.runtime.type === 'workflow' ? workflowRuntime : jobRuntime
}

/**
 * The deadline of the run as a whole, counted from its start: time spent on pulling images or scheduling does not
 * count.
 */
function deadlineOf(run: AgentRun, startedAt: string | undefined): number {
  const { runTimeoutSeconds = 0 } = runtimeRefOf(run) ?? {}
  if (runTimeoutSeconds === 0 || startedAt === undefined) return Number.POSITIVE_INFINITY
  return endOf(startedAt, runTimeoutSeconds)
}

/** Whether the work ended, and not because it was stopped. */
function hasEndedByItself({ phase, cause }: AgentRunProgress): boolean {
  return phase === 'Succeeded' || (phase === 'Failed' && cause === 'failed')
}

function nameOf({ metadata }: Job): string {
  return metadata.name
}

interface Stop {
  readonly runtime: Runtime
  readonly phase: 'Cancelled' | 'Failed'
  readonly failure?: Failure
  readonly message: string
}

/** Stops all Jobs. The end is reported when none is left, with the results of an attempt that ended before. */
async function stop(
  run: AgentRun,
  { started, results, detail: observed }: AgentRunProgress,
  jobs: AttemptJobs<AgentRun>,
  { now, signal }: GateContext,
  { runtime, phase, failure, message }: Stop,
): Promise<AgentRunProgress> {
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
  const kept = results ? observed : {}
  const known = { ...run, status: { ...run.status, ...kept } } as AgentRun
  const detail = {
    // The run may have ended before a reconcile observed it running.
    ...(started && !run.status?.startedAt && { startedAt: rfc3339(now) }),
    ...kept,
    ...runtime.stopped(known, message, now),
    nextRetryAt: undefined,
  }
  const requeueAfterMs = Number.POSITIVE_INFINITY
  return { phase, started, message, detail, requeueAfterMs, ...(failure && { failure }) }
}
