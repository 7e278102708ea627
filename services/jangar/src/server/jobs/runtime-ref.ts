import type { Json } from '@agents/crd'
import { defaultStartTimeoutSeconds, type TaskLimits, type TaskState } from './task-state.ts'

/** Decisions made when the run started, so that later changes of what it refers to do not affect it. */
export interface Decided {
  /** Limit of the run as a whole. 0: no limit. */
  readonly runTimeoutSeconds: number
  /** Time to live of its Jobs, if the run specifies it. */
  readonly jobTtlSeconds?: number
  /** The repository that the run counts against; what it refers to may name another one by now. */
  readonly repository?: string
}

/** `status.runtimeRef`: names the current Job and holds the state of the runtime. */
export interface RuntimeRef extends Decided {
  readonly type: 'job' | 'workflow'
  readonly name?: string
  readonly namespace?: string
  readonly uid?: string
  readonly stepName?: string
  readonly submittedAt?: string
  readonly limits?: TaskLimits
  /** State of the job runtime; a workflow has one in each step. */
  readonly task?: Omit<TaskState, 'jobRef' | 'submittedAt' | 'attempt'>
}

/** `status.runtimeRef` as the API stores it. */
export type WrittenRef = Record<string, Json>

/** A run of any kind that Jobs execute. */
export interface RunWithRef {
  readonly status?: { readonly runtimeRef?: WrittenRef | undefined } | undefined
}

/** The schema allows any object here; only the controller of the run writes it. */
export function runtimeRefOf({ status }: RunWithRef): RuntimeRef | undefined {
  const ref = status?.runtimeRef as RuntimeRef | undefined
  return ref?.type === 'job' || ref?.type === 'workflow' ? ref : undefined
}

/** As the API stores it: without undefined fields. */
export function writtenRef(
  ref: {
    readonly [Name in keyof RuntimeRef]: RuntimeRef[Name] | undefined
  },
): WrittenRef {
  const present = Object.entries(ref).filter(([, value]) => value !== undefined)
  return Object.fromEntries(present) as WrittenRef
}

/** Of a run whose Job was created by a process that ended before it recorded its decisions. */
export const undecided: Decided = { runTimeoutSeconds: 0 }

export function decidedIn({ runTimeoutSeconds, jobTtlSeconds, repository }: Decided): Decided {
  return {
    runTimeoutSeconds,
    ...(jobTtlSeconds !== undefined && { jobTtlSeconds }),
    ...(repository !== undefined && { repository }),
  }
}

/** The limits of each attempt. Defaults that most runs have are not recorded. */
export function limitsOf(
  work: Required<Pick<TaskLimits, 'retries' | 'retryBackoffSeconds' | 'startTimeoutSeconds'>> &
    Pick<TaskLimits, 'retryOn'>,
  timeoutSeconds: number,
): TaskLimits {
  const { retries, retryBackoffSeconds, retryOn, startTimeoutSeconds } = work
  return {
    retries,
    retryBackoffSeconds,
    ...(retryOn !== undefined && { retryOn }),
    timeoutSeconds,
    ...(startTimeoutSeconds !== defaultStartTimeoutSeconds && { startTimeoutSeconds }),
  }
}

/** How long the Jobs of the run are kept after it finished. 0: until the run is deleted. */
export function jobTtlMs(run: RunWithRef, defaultMs: number): number {
  const { jobTtlSeconds } = runtimeRefOf(run) ?? {}
  return jobTtlSeconds === undefined ? defaultMs : jobTtlSeconds * 1000
}
