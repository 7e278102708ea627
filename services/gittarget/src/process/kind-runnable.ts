import {
  type Clock,
  Controller,
  type EventRecorder,
  gateReconcile,
  type LivingReconciler,
  type Metrics,
  objectApi,
  type Reconcile,
  type Runnable,
  type Source,
  writeStatus,
} from '@agents/controller'
import type { KubeClient, KubeObject } from '@agents/kube'
import type { Logger } from '@agents/log'
import { foldVerdicts } from '@agents/status'
import type { ResourceCache } from '../kubernetes/resource-cache.ts'

/** Everything that is needed to keep the objects of one kind in line. */
export interface KindController<T extends KubeObject = KubeObject> {
  readonly primary: ResourceCache<T>
  readonly reconciler: LivingReconciler<T>
  /** What else, beside the object itself, is a reason to look at it. */
  readonly sources: readonly Source[]
  /** Objects looked at at the same time. */
  readonly workers: number
  /** Told when an object is no longer there. */
  readonly gone?: (key: string) => void
}

export interface KindPorts {
  readonly client: KubeClient
  readonly events: EventRecorder
  readonly log: Logger
  readonly clock: Clock
  readonly metrics?: Metrics | undefined
}

/** Turns what is particular to a kind into a controller that runs. */
export function kindRunnable<T extends KubeObject>(
  { primary, reconciler, sources, workers, gone }: KindController<T>,
  { client, events, log, clock, metrics }: KindPorts,
): Runnable {
  const { kind } = primary
  const name = kind.kind.toLowerCase()
  const api = objectApi(client, kind)
  const controller = new Controller<T>({
    name,
    kind,
    primary,
    sources,
    reconcile: fromPending(reconciler, api, gateReconcile(reconciler, { api, events })),
    workers,
    log,
    clock,
    ...(gone && { gone }),
    ...(metrics && { metrics: metrics.controller(name, workers) }),
  })
  metrics?.watchQueue(name, controller.queue)
  return { name: `controller of ${kind.plural}`, run: (signal) => controller.run(signal) }
}

/**
 * The first status of an object that has a phase says that nothing was asked yet: its gates may take a while, and until then
 * nobody could tell an object that is being looked at from one that nobody looks at.
 */
function fromPending<T extends KubeObject>(
  { conditions, phase, clockFields }: LivingReconciler<T>,
  api: ReturnType<typeof objectApi<T>>,
  reconcile: Reconcile<T>,
): Reconcile<T> {
  return async (object, context) => {
    const known = object.status as { readonly conditions?: unknown } | undefined
    if (phase === undefined || known?.conditions !== undefined || isGoing(object)) {
      return reconcile(object, context)
    }
    const { now } = context
    const at = { now, generation: object.metadata.generation ?? 0 }
    const folded = foldVerdicts(conditions, [], undefined, at)
    const status = { ...folded, phase: phase(folded.conditions) }
    const written = await writeStatus(api, object, status, { now, clockFields })
    if (written !== undefined) context.remember(written)
    return reconcile(written ?? object, context)
  }
}

const isGoing = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined
