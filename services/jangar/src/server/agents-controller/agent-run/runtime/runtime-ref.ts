import type { AgentRun } from '@agents/jangar-api'
import type { ResolvedWork } from '../resolution/resolution.ts'
import type { RunDetail } from '../run-detail.ts'
import type { TaskLimits, TaskState } from '../task/task-state.ts'

/** What was decided when the run began, so that nobody's later change or absence takes it back. */
export interface Decided {
  /** For the run as a whole. 0: none. */
  readonly runTimeoutSeconds: number
  /** Of its last Job, where the run says so itself. */
  readonly jobTtlSeconds?: number
  /** Whose place the run has taken; its work may have named it, which can be another by now. */
  readonly repository?: string
}

/** `status.runtimeRef`, which names what carries the work and keeps what the runtime has to remember. */
export interface RuntimeRef extends Decided {
  readonly type: 'job' | 'workflow'
  readonly name?: string
  readonly namespace?: string
  readonly uid?: string
  readonly stepName?: string
  readonly submittedAt?: string
  readonly limits?: TaskLimits
  /** For the job runtime; the steps of a workflow have it each. */
  readonly task?: Omit<TaskState, 'jobRef' | 'submittedAt' | 'attempt'>
}

/** The server keeps any object here; only this controller writes it. */
export function runtimeRefOf({ status }: AgentRun): RuntimeRef | undefined {
  const ref = status?.runtimeRef as RuntimeRef | undefined
  return ref?.type === 'job' || ref?.type === 'workflow' ? ref : undefined
}

/** In the words of the wire, where absent is not undefined. */
export function writtenRef(
  ref: {
    readonly [Name in keyof RuntimeRef]: RuntimeRef[Name] | undefined
  },
): RunDetail['runtimeRef'] {
  const present = Object.entries(ref).filter(([, value]) => value !== undefined)
  return Object.fromEntries(present) as RunDetail['runtimeRef']
}

export function decidedBy({ runTimeoutSeconds, settings, repository }: ResolvedWork): Decided {
  const { ttlSecondsAfterFinished } = settings
  return {
    runTimeoutSeconds,
    ...(ttlSecondsAfterFinished !== undefined && { jobTtlSeconds: ttlSecondsAfterFinished }),
    ...(repository !== undefined && { repository }),
  }
}

export function decidedIn({ runTimeoutSeconds, jobTtlSeconds, repository }: Decided): Decided {
  return {
    runTimeoutSeconds,
    ...(jobTtlSeconds !== undefined && { jobTtlSeconds }),
    ...(repository !== undefined && { repository }),
  }
}
