import type { GateContext } from '@agents/controller'
import type { AgentRun } from '@agents/jangar-api'
import { rfc3339 } from '@agents/status'
import type { Failure, Progress } from './progress.ts'
import type { RunDetail } from './run-detail.ts'
import type { RunJobs } from './run-jobs.ts'
import { jobRuntime } from './runtime/job-runtime.ts'
import type { Runtime, Workshop } from './runtime/runtime.ts'
import { runtimeRefOf } from './runtime/runtime-ref.ts'
import { workflowRuntime } from './runtime/workflow-runtime.ts'
import type { Trouble } from './task/pod-state.ts'
import { endOf } from './task/task-state.ts'

/** Where a look at the work of a run has led. */
export type Carried = CarriedOn | CarriedOut

interface Common {
  /** Whether the work has ever begun. */
  readonly begun: boolean
  readonly message: string
  readonly detail: Partial<RunDetail>
  readonly failedAttempt?: string
}

export interface CarriedOn extends Common {
  readonly kind: 'running' | 'retrying' | 'cancelling'
  readonly trouble?: Trouble
  readonly retryAfterMs: number
}

export interface CarriedOut extends Common {
  readonly kind: 'succeeded' | 'failed' | 'cancelled'
  readonly failure?: Failure
}

/** Brings the work of an admitted run one step further, within its time, unless it is to be stopped. */
export async function carryOn(
  run: AgentRun,
  jobs: RunJobs,
  workshop: Workshop,
  context: GateContext,
): Promise<Carried> {
  const { now, signal } = context
  const runtime = runtimeOf(run)
  const { startedAt } = run.status ?? {}
  const isCancelled = run.spec.cancel === true
  const isLate = now.getTime() >= deadlineOf(run, startedAt)
  const mayStart = !isCancelled && !isLate
  const progress = await runtime.advance(run, { ...context, jobs, mayStart }, workshop)
  if (isCancelled) {
    const message = 'it was stopped on request'
    return stop(run, progress, jobs, now, signal, { runtime, kind: 'cancelled', message })
  }
  if (isLate && !hasEndedByItself(progress)) {
    const message = `it took longer than ${runtimeRefOf(run)?.runTimeoutSeconds} s`
    const late = { runtime, kind: 'failed', failure: 'TimedOut', message } as const
    return stop(run, progress, jobs, now, signal, late)
  }
  const deadline = deadlineOf(run, startedAt ?? (progress.begun ? rfc3339(now) : undefined))
  return fromProgress(progress, deadline - now.getTime())
}

function runtimeOf({ spec }: AgentRun): Runtime {
  return spec.runtime.type === 'workflow' ? workflowRuntime : jobRuntime
}

/** Of the run as a whole, from when it began: nobody's slow image or full cluster is its fault. */
function deadlineOf(run: AgentRun, startedAt: string | undefined): number {
  const { runTimeoutSeconds = 0 } = runtimeRefOf(run) ?? {}
  if (runTimeoutSeconds === 0 || startedAt === undefined) return Number.POSITIVE_INFINITY
  return endOf(startedAt, runTimeoutSeconds)
}

/** And not because it was being stopped. */
function hasEndedByItself({ kind, cause }: Progress): boolean {
  return kind === 'succeeded' || (kind === 'failed' && cause === 'failed')
}

function fromProgress(progress: Progress, leftMs: number): Carried {
  const { kind, begun, message, detail, trouble, failure, failedAttempt } = progress
  const common = { begun, message, detail, ...(failedAttempt !== undefined && { failedAttempt }) }
  if (kind === 'succeeded' || kind === 'failed') {
    return { ...common, kind, ...(failure && { failure }) }
  }
  return {
    ...common,
    kind,
    ...(trouble && { trouble }),
    retryAfterMs: Math.min(progress.recheckAfterMs, leftMs),
  }
}

interface Stop {
  readonly runtime: Runtime
  readonly kind: 'cancelled' | 'failed'
  readonly failure?: Failure
  readonly message: string
}

/** The end is told only when nothing works any more; with what was left by work that had ended before. */
async function stop(
  run: AgentRun,
  { begun, results, detail: found }: Progress,
  jobs: RunJobs,
  now: Date,
  signal: AbortSignal,
  { runtime, kind, failure, message }: Stop,
): Promise<Carried> {
  const remaining = jobs.unfinished(run)
  for (const job of remaining) await jobs.stop(job, signal)
  if (remaining.length === 0) {
    const left = results ? found : {}
    const known = { ...run, status: { ...run.status, ...left } } as AgentRun
    const detail = {
      // It may have been over before anybody saw it run.
      ...(begun && !run.status?.startedAt && { startedAt: rfc3339(now) }),
      ...left,
      ...runtime.interrupted(known, message, now),
    }
    return { kind, begun, message, detail, ...(failure && { failure }) }
  }
  const names = remaining.map(({ metadata }) => metadata.name).join(', ')
  return {
    kind: kind === 'cancelled' ? 'cancelling' : 'running',
    begun,
    message: `${message}; waits for the end of ${names}`,
    detail: {},
    retryAfterMs: recheckMs,
  }
}

/** Their going is an event; this is for the one that got lost. */
const recheckMs = 15_000
