import type { KubeObject, ObjectKey } from '@agents/kube'
import type { Logger } from '@agents/log'

export interface ReconcileContext<T extends KubeObject = KubeObject> {
  readonly key: ObjectKey
  readonly now: Date
  /** Aborted when the time for one reconcile is over, with a ReconcileTimeout, or when the process has to end. */
  readonly signal: AbortSignal
  readonly log: Logger
  /**
   * To be told what the server answered to each write of the object itself that was guarded by its resource version: the next
   * look is at nothing older, and the write's own event is no reason for one.
   */
  readonly remember: (object: T) => void
}

export interface ReconcileResult {
  /** Look again after this time, or earlier when something changes. Infinity or absent: only then. */
  readonly recheckAfterMs?: number
  /** Look again soon, and less soon each time: somebody else wrote meanwhile. Wins over `recheckAfterMs`. */
  readonly tryAgain?: boolean
  /** Of the next look, where one is asked for. Default: that of this one. */
  readonly priority?: number
}

/** Brings the world in line with one object. What it throws is tried again, less soon each time. */
export type Reconcile<T extends KubeObject = KubeObject> = (
  object: T,
  context: ReconcileContext<T>,
) => Promise<ReconcileResult>
