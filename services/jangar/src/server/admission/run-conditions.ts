import type { KubeObject } from '@agents/kube'
import { conditionOf } from '../kubernetes/condition-of.ts'
import { waitingReasons } from './admission-decision.ts'

/** When the run got its slot, in milliseconds since 1970; undefined if it has none. */
export function admittedAt(run: KubeObject): number | undefined {
  const admitted = conditionOf(run, 'Admitted')
  return admitted?.status === 'True' ? Date.parse(admitted.lastTransitionTime) : undefined
}

/** Whether the last reconcile left the run waiting for a slot. */
export function isQueued(run: KubeObject): boolean {
  const admitted = conditionOf(run, 'Admitted')
  return admitted?.status === 'False' && reasons.has(admitted.reason)
}

/**
 * Whether a process that has ended may have left the run waiting for a slot: the first status of a run that waits can
 * be held back, and is lost then.
 */
export function mayHaveQueued(run: KubeObject): boolean {
  return conditionOf(run, 'Admitted') === undefined || isQueued(run)
}

/** Whether the run has not been found unacceptable. */
export function isAcceptable(run: KubeObject): boolean {
  return conditionOf(run, 'Accepted')?.status !== 'False'
}

const reasons: ReadonlySet<string> = new Set(waitingReasons)
