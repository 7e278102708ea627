import type { KubeObject } from '@agents/kube'
import type { SpanContext, Tracer } from '@agents/tracing'
import type { Reconcile } from './reconcile-function.ts'

interface ReconcileTracing<T extends KubeObject> {
  readonly tracer: Tracer
  readonly kind: string
  /** The trace that reconciles of an object belong to. If omitted, each starts a new trace. */
  readonly parentOf?: ((object: T) => SpanContext) | undefined
}

/** Records a span for each reconcile that wrote something or failed. Most find nothing to do and are not recorded. */
export function tracedReconcile<T extends KubeObject>(
  reconcile: Reconcile<T>,
  { tracer, kind, parentOf }: ReconcileTracing<T>,
): Reconcile<T> {
  if (!tracer.isOn) return reconcile
  return (object, context) => {
    const { namespace, name } = object.metadata
    const options = {
      parent: parentOf?.(object) ?? ('none' as const),
      attributes: {
        'k8s.namespace.name': namespace,
        'agents.object.kind': kind,
        'agents.object.name': name,
      },
    }
    return tracer.trace(`reconcile ${kind}`, options, async (span) => {
      let wrote = false
      const result = await reconcile(object, {
        key: context.key,
        now: context.now,
        signal: context.signal,
        get log() {
          return context.log
        },
        remember: (written) => {
          wrote = true
          context.remember(written)
        },
      })
      if (!wrote) span.discard()
      return result
    })
  }
}
