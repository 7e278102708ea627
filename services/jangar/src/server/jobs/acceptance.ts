import { pass, type RunGateVerdict, type Wait, wait } from '@agents/controller'
import type { KubeObject } from '@agents/kube'
import { conditionOf, isTrue } from '../kubernetes/condition-of.ts'

/** The verdict of the Accepted gate for a run that was accepted before. */
export function stillAccepted(run: KubeObject): RunGateVerdict<'Accepted', never> {
  return pass('Accepted', conditionOf(run, 'Accepted')?.message ?? 'the run was accepted')
}

/** The verdict of the Accepted gate for a run that waits for something it refers to. */
export function waitForDependency<Reason extends string>(
  run: KubeObject,
  { reason, message }: { readonly reason: Reason; readonly message: string },
): Wait<Reason, object> {
  return wait(reason, message, isTrue(run, 'Accepted') ? confirmMs : recheckMs)
}

/** A missing dependency requeues the run when it appears. This covers changes that cause no event. */
const recheckMs = 60_000

/** Dependencies do not requeue an accepted run: one that reappears before the condition is False would be missed. */
const confirmMs = 1000
