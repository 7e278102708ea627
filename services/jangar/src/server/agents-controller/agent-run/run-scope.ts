import type { GateContext } from '@agents/controller'
import type { AgentRun } from '@agents/jangar-api'
import type { AttemptJobs } from '../../jobs/attempt-jobs.ts'
import { isTrue } from '../../kubernetes/condition-of.ts'
import type { RunClaims } from '../../kubernetes/run-claims.ts'
import type { Resolution, ResolvedWork } from './resolve/resolution.ts'
import { advanceRun } from './runtime/advance-run.ts'
import type { AgentRunProgress, WorkFactory } from './runtime/runtime.ts'
import type { WorkObjects } from './workload/work-objects.ts'

/** What the gates of one reconcile share: each result is computed once. */
export interface RunScope {
  /** The resolved references of the run with its templates rendered; for a workflow those of all steps. */
  resolution(): Resolution
  /** The work of the run, or of each step of its workflow; undefined if it is not resolved. */
  works(): readonly ResolvedWork[] | undefined
  /** Creates the next Job if one is due, and reports the progress of the work. */
  createOrObserveJob(): Promise<AgentRunProgress>
  /**
   * Whether the status has to be written at once: only the status keeps a branch or an idempotency key for the run when
   * the process ends.
   */
  isUrgent(): boolean
}

export interface RunScopePorts {
  readonly jobs: AttemptJobs<AgentRun>
  readonly factory: WorkFactory
  readonly claims: Pick<RunClaims, 'hasClaims'>
  /** Why the run has to stop, if a Budget demands it. */
  readonly budgetStop?: ((run: AgentRun) => string | undefined) | undefined
  /** Called for a failed attempt that will be retried. */
  readonly onFailedAttempt: (run: AgentRun, message: string) => void
}

export function runScope(
  run: AgentRun,
  context: GateContext,
  { jobs, factory, claims, budgetStop, onFailedAttempt }: RunScopePorts,
): RunScope {
  const advance = async (remembering: WorkFactory): Promise<AgentRunProgress> => {
    const advanced = await advanceRun(run, jobs, remembering, context, budgetStop)
    const { failedAttempt, phase } = advanced
    if (failedAttempt !== undefined && phase === 'Retrying') onFailedAttempt(run, failedAttempt)
    return advanced
  }
  let checked: CheckedWork | undefined
  let progress: Promise<AgentRunProgress> | undefined
  const resolve = (): Resolution => {
    checked ??= checkWork(run, factory)
    return checked.resolution
  }
  // The steps of a workflow are resolved when their turn comes; a run without steps reuses what was accepted just now.
  const remembering: WorkFactory = {
    ...factory,
    resolve: (_run, step) => (step ? factory.resolve(run, step) : resolve()),
    build: (work, of) => {
      const isFirst = of.attempt === 1 && of.step === undefined && of.verified === undefined
      return (isFirst && checked?.firstAttempt) || factory.build(work, of)
    },
  }
  return {
    resolution: resolve,
    works: () => worksOf(run, remembering),
    createOrObserveJob: () => {
      progress ??= advance(remembering)
      return progress
    },
    isUrgent: () => claims.hasClaims(run) && !isTrue(run, 'Accepted'),
  }
}

/** The work of the run, or of each step of its workflow; undefined if it is not resolved. */
export function worksOf(
  run: AgentRun,
  { resolve }: Pick<WorkFactory, 'resolve'>,
): readonly ResolvedWork[] | undefined {
  const steps = run.spec.runtime.type === 'workflow' ? run.spec.workflow?.steps : undefined
  const all = (steps ?? [undefined]).map((step) => resolve(run, step))
  const works = all.flatMap((one) => (one.kind === 'resolved' ? [one.work] : []))
  return works.length === all.length ? works : undefined
}

interface CheckedWork {
  readonly resolution: Resolution
  readonly firstAttempt?: WorkObjects
}

/** Resolves the run and builds its first attempt, so that an invalid template is found before the run is accepted. */
function checkWork(run: AgentRun, factory: WorkFactory): CheckedWork {
  const resolution = factory.resolve(run, undefined)
  if (resolution.kind !== 'resolved' || run.spec.runtime.type === 'workflow') return { resolution }
  const objects = factory.build(resolution.work, { run, attempt: 1 })
  if (objects.kind === 'refused') return { resolution: objects }
  return { resolution, firstAttempt: objects }
}
