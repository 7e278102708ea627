import type { Reconciler, ResourceCache, Source } from '@agents/controller'
import type { KubeObject } from '@agents/kube'
import type { SpanContext } from '@agents/tracing'

/** Everything that is needed to keep the objects of one kind in line; the process turns it into a running controller. */
export interface KindController<T extends KubeObject = KubeObject> {
  readonly primary: ResourceCache<T>
  readonly reconciler: Reconciler<T>
  /** What else, beside the object itself, is a reason to look at it. */
  readonly sources: readonly Source[]
  /** Objects looked at at the same time. */
  readonly workers?: number
  /** Told when an object is no longer there. */
  readonly gone?: (key: string) => void
  /** What looks at the object are a part of. */
  readonly traceOf?: (object: T) => SpanContext
}
