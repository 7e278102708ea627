import type { KindController, LivingReconciler } from '@agents/controller'
import type { KubeObject } from '@agents/kube'

/**
 * Controller of a kind that lives until it is deleted. `gone` is also called while an object waits for its
 * finalizers.
 */
export interface LivingController<T extends KubeObject = KubeObject> extends KindController<T> {
  readonly reconciler: LivingReconciler<T>
  /** Number of gates, from the first, that are quick. Their verdicts are reported before the slow gates are checked. */
  readonly quickGates?: number
}
