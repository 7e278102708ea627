import type { KubeObject, ObjectKey } from '@agents/kube'
import type { Logger } from '@agents/log'

export interface ReconcileContext<T extends KubeObject = KubeObject> {
  readonly key: ObjectKey
  readonly now: Date
  /** Aborted with a ReconcileTimeout when the reconcile takes too long, or when the process has to end. */
  readonly signal: AbortSignal
  readonly log: Logger
  /**
   * To be called with the response to each write of the object itself that was guarded by its resource version. The
   * next reconcile then sees nothing older, and the event of the write does not cause one.
   */
  readonly remember: (object: T) => void
}

export interface ReconcileResult {
  /** Reconcile again after this time, or earlier if something changes. Infinity or absent: only on a change. */
  readonly recheckAfterMs?: number
  /** Reconcile again with backoff, because of a conflict. Takes precedence over `recheckAfterMs`. */
  readonly tryAgain?: boolean
  /** The priority of the next reconcile, if one is requested. Default: that of this one. */
  readonly priority?: number
}

/** Brings the cluster in line with one object. An error is retried with backoff. */
export type Reconcile<T extends KubeObject = KubeObject> = (
  object: T,
  context: ReconcileContext<T>,
) => Promise<ReconcileResult>
