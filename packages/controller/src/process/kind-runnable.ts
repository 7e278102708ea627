import type { Clock, KubeClient, KubeObject } from '@agents/kube'
import type { Logger } from '@agents/log'
import { noTracer, type SpanContext, type Tracer } from '@agents/tracing'
import { Controller } from '../controller/controller.ts'
import { gateReconcile } from '../controller/gate-reconcile.ts'
import type { Reconcile } from '../controller/reconcile-function.ts'
import { tracedReconcile } from '../controller/traced-reconcile.ts'
import type { EventRecorder } from '../events/event-recorder.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { type ObjectApi, objectApi } from '../objects/object-api.ts'
import type { Reconciler } from '../reconcile/reconciler.ts'
import type { ResourceCache } from '../sources/resource-cache.ts'
import type { Source } from '../sources/source.ts'
import type { Runnable } from './runnable.ts'

/** The controller of one kind, as its package declares it. `kindRunnable` makes it a part of a process. */
export interface KindController<T extends KubeObject = KubeObject> {
  readonly primary: ResourceCache<T>
  readonly reconciler: Reconciler<T>
  /** What else triggers a reconcile, beside changes of the object itself. */
  readonly sources: readonly Source[]
  /** Concurrent reconciles. Default 2. */
  readonly workers?: number
  /** Called when an object was deleted. */
  readonly gone?: (key: string) => void
  /** The trace that reconciles of the object belong to. */
  readonly traceOf?: (object: T) => SpanContext
  /** Wraps the reconcile function. */
  readonly around?: (reconcile: Reconcile<T>, api: ObjectApi<T>) => Reconcile<T>
}

export interface KindPorts {
  readonly client: KubeClient
  readonly events: EventRecorder
  readonly log: Logger
  readonly clock: Clock
  readonly metrics?: Metrics | undefined
  /** If omitted, nothing is traced. */
  readonly tracer?: Tracer | undefined
}

/** Turns the declared controller of a kind into a part of a process. */
export function kindRunnable<T extends KubeObject>(
  { primary, reconciler, sources, workers = 2, gone, traceOf, around }: KindController<T>,
  { client, events, log, clock, metrics, tracer = noTracer }: KindPorts,
): Runnable {
  const { kind } = primary
  const name = kind.kind.toLowerCase()
  const api = objectApi(client, kind)
  const reconcile = gateReconcile(reconciler, { api, events })
  const controller = new Controller<T>({
    name,
    kind,
    primary,
    sources,
    reconcile: tracedReconcile(around?.(reconcile, api) ?? reconcile, {
      tracer,
      kind: kind.kind,
      parentOf: traceOf,
    }),
    workers,
    log,
    clock,
    ...(gone && { gone }),
    ...(metrics && { metrics: metrics.controller(name, workers) }),
  })
  metrics?.watchQueue(name, controller.queue)
  return { name: `controller of ${kind.plural}`, run: (signal) => controller.run(signal) }
}
