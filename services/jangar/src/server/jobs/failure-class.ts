import { type FailureClass, failureClasses } from '@agents/jangar-api'
import type { Reason } from '../../run-contract/outcome.ts'
import type { StartProblem } from './pod-state.ts'

/** Why an attempt failed, as the controller observed it. */
export type AttemptFailure = 'failed' | 'missing' | 'timedOut' | 'refused'

/** The facts about a failed attempt that its class follows from. */
export interface FailureFacts {
  /** An attempt that was refused had no Job, and has no class: it is never repeated. */
  readonly cause: Exclude<AttemptFailure, 'refused'>
  /** What kept the container from starting in time. */
  readonly problem?: StartProblem['reason']
  /** Whether the cluster ended the pod, or no pod is left. */
  readonly isEvicted?: boolean
  /** What the container with the agent's program reported. The program can report anything. */
  readonly work?: Reason
  /** What the publisher reported, which runs no program of the tenant. */
  readonly publish?: Reason
}

/** Classes that no list can include: another attempt would fail in the same way, or repeat a violation. */
export type AnyFailureClass = FailureClass | 'InvalidSpec' | 'Policy'

/**
 * The class of a failure. What the cluster and the platform's own containers say comes first. Only `RateLimited` and
 * `InvalidSpec` follow from the report of the agent's container, which can be forged: it decides whether one of the
 * remaining attempts is made, and never how many there are.
 */
export function failureClass(facts: FailureFacts): AnyFailureClass {
  const { cause, problem, isEvicted, work, publish } = facts
  if (cause === 'missing') return 'Evicted'
  if (cause === 'timedOut') return problem === 'ImageUnavailable' ? 'ImagePull' : 'Timeout'
  if (isEvicted) return 'Evicted'
  if (publish === 'PublishRefused' || publish === 'PushPolicyViolated') return 'Policy'
  if (publish === 'PushConflict') return 'PushConflict'
  if (work === 'RateLimited') return 'RateLimited'
  return work !== undefined && invalid.has(work) ? 'InvalidSpec' : 'Error'
}

const invalid: ReadonlySet<Reason> = new Set([
  'InvalidSpec',
  'InvalidTemplate',
  'InvalidBranch',
  // Somebody tampers with the run. That is not the agent's fault, and may happen to the next attempt too.
  'DocumentsChanged',
])

/** Whether failures of the class are retried. If the list is omitted, all are that can be. */
export function isRetried(
  failure: AnyFailureClass,
  retryOn: readonly FailureClass[] = failureClasses,
): boolean {
  return retryOn.some((one) => one === failure)
}
