import {
  type Clock,
  Controller,
  type EventRecorder,
  gateReconcile,
  type Metrics,
  objectApi,
  type Runnable,
  tracedReconcile,
} from '@agents/controller'
import type { KubeClient } from '@agents/kube'
import type { Logger } from '@agents/log'
import { noTracer, type Tracer } from '@agents/tracing'
import type { KindController } from '../kubernetes/kind-controller.ts'

export interface KindPorts {
  readonly client: KubeClient
  readonly events: EventRecorder
  readonly log: Logger
  readonly clock: Clock
  readonly metrics?: Metrics | undefined
  readonly tracer?: Tracer | undefined
}

/** Turns what is particular to a kind into a controller that runs. */
export function kindRunnable(
  { primary, reconciler, sources, workers = 2, gone, traceOf }: KindController,
  { client, events, log, clock, metrics, tracer = noTracer }: KindPorts,
): Runnable {
  const { kind } = primary
  const name = kind.kind.toLowerCase()
  const controller = new Controller({
    name,
    kind,
    primary,
    sources,
    reconcile: tracedReconcile(
      gateReconcile(reconciler, { api: objectApi(client, kind), events }),
      { tracer, kind: kind.kind, parentOf: traceOf },
    ),
    workers,
    log,
    clock,
    ...(gone && { gone }),
    ...(metrics && { metrics: metrics.controller(name, workers) }),
  })
  metrics?.watchQueue(name, controller.queue)
  return { name: `controller of ${kind.plural}`, run: (signal) => controller.run(signal) }
}
