import type { AgentRun } from '@agents/jangar-api'
import type { Progress } from '../progress.ts'
import type { Refused, Resolution, ResolvedWork, WorkflowStep } from '../resolution/resolution.ts'
import type { TaskLook } from '../task/advance-task.ts'
import type { WorkObjects, WorkOf } from '../workload/work-objects.ts'

/** How the work of a run is made: what it consists of, and the objects that carry it. */
export interface Workshop {
  resolve(run: AgentRun, step: WorkflowStep | undefined): Resolution
  build(work: ResolvedWork, of: WorkOf): WorkObjects | Refused
}

/** One way to run a run. */
export interface Runtime {
  advance(run: AgentRun, look: TaskLook, workshop: Workshop): Promise<Progress>
  /** What the status says of work that was stopped. */
  interrupted(run: AgentRun, message: string, now: Date): Progress['detail']
}
