import type { GateContext } from '@agents/controller'
import type { AgentRun } from '@agents/jangar-api'
import type { TaskContext } from '../../../jobs/advance-task.ts'
import type { AttemptJobs } from '../../../jobs/attempt-jobs.ts'
import type { RunProgress } from '../../../jobs/run-progress.ts'
import type { Refused, Resolution, ResolvedWork, WorkflowStep } from '../resolve/resolution.ts'
import type { RunDetail } from '../run-detail.ts'
import type { VerifiedVolume } from '../workload/mapped-volumes.ts'
import type { WorkObjects, WorkOf } from '../workload/work-objects.ts'
import type { Failure } from './failure.ts'

/** Resolves the references of a run, and builds the objects of its attempts. */
export interface WorkFactory {
  resolve(run: AgentRun, step: WorkflowStep | undefined): Resolution
  build(work: ResolvedWork, of: WorkOf): WorkObjects | Refused
  /** Whether a Job may be created for the work now, although the run is admitted. If omitted, it may. */
  permit?(run: AgentRun, work: ResolvedWork, signal: AbortSignal): Promise<StartPermit>
}

export type StartPermit =
  | { readonly kind: 'permitted'; readonly verified: readonly VerifiedVolume[] }
  | { readonly kind: 'refused'; readonly message: string }

/** For `WorkOf`. */
export function verifiedIn(permit: StartPermit | undefined): Pick<WorkOf, 'verified'> {
  return permit?.kind === 'permitted' && permit.verified.length > 0
    ? { verified: permit.verified }
    : {}
}

export type AgentRunProgress = RunProgress<RunDetail, Failure>

export interface RuntimeContext extends GateContext, TaskContext {
  readonly jobs: AttemptJobs<AgentRun>
  readonly factory: WorkFactory
}

/** A way to execute a run. */
export interface Runtime {
  /** Creates the next Job if one is due, and reports the progress of the work. */
  advance(run: AgentRun, context: RuntimeContext): Promise<AgentRunProgress>
  /** The status fields of work that was stopped. */
  stopped(run: AgentRun, message: string, now: Date): Partial<RunDetail>
}
