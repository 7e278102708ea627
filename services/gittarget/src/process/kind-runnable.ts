import {
  type Clock,
  Controller,
  type EventRecorder,
  gateReconcile,
  type LivingReconciler,
  type Metrics,
  type ObjectApi,
  objectApi,
  type Reconcile,
  type ResourceCache,
  type Runnable,
  type Source,
  tracedReconcile,
  writeStatus,
} from '@agents/controller'
import { formatKey, type KubeClient, type KubeObject } from '@agents/kube'
import type { Logger } from '@agents/log'
import { foldVerdicts, type Verdict } from '@agents/status'
import { noTracer, type Tracer } from '@agents/tracing'

/** Everything that is needed to keep the objects of one kind in line. */
export interface KindController<T extends KubeObject = KubeObject> {
  readonly primary: ResourceCache<T>
  readonly reconciler: LivingReconciler<T>
  /** What else, beside the object itself, is a reason to look at it. */
  readonly sources: readonly Source[]
  /** Objects looked at at the same time. */
  readonly workers: number
  /** How many of the gates, from the first, can be answered at once, when the others take their time. */
  readonly quickGates?: number
  /** Told when an object is no longer there, and when it only waits for somebody to let it go. */
  readonly gone?: (key: string) => void
}

export interface KindPorts {
  readonly client: KubeClient
  readonly events: EventRecorder
  readonly log: Logger
  readonly clock: Clock
  readonly metrics?: Metrics | undefined
  /** Not given: there are no traces. */
  readonly tracer?: Tracer | undefined
}

/** Turns what is particular to a kind into a controller that runs. */
export function kindRunnable<T extends KubeObject>(
  { primary, reconciler, sources, workers, gone, quickGates = 0 }: KindController<T>,
  { client, events, log, clock, metrics, tracer = noTracer }: KindPorts,
): Runnable {
  const { kind } = primary
  const name = kind.kind.toLowerCase()
  const api = objectApi(client, kind)
  const controller = new Controller<T>({
    name,
    kind,
    primary,
    sources,
    reconcile: tracedReconcile(
      tellingWhoGoes(
        gone,
        fromPending(reconciler, { quickGates, api }, gateReconcile(reconciler, { api, events })),
      ),
      { tracer, kind: kind.kind },
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

/** Nothing is done any more for an object that is being deleted, however long that takes: others count on it being gone. */
const tellingWhoGoes =
  <T extends KubeObject>(
    gone: ((key: string) => void) | undefined,
    reconcile: Reconcile<T>,
  ): Reconcile<T> =>
  (object, context) => {
    if (isGoing(object)) gone?.(formatKey(object.metadata))
    return reconcile(object, context)
  }

/**
 * A new object that has a phase is told about step by step: that nothing was asked yet, and then what could be answered at
 * once. The gates after that may take a while, and until then nobody could tell an object that is being looked at from one
 * that nobody looks at.
 */
function fromPending<T extends KubeObject>(
  reconciler: LivingReconciler<T>,
  { quickGates, api }: { quickGates: number; api: Pick<ObjectApi<T>, 'updateStatus'> },
  reconcile: Reconcile<T>,
): Reconcile<T> {
  const { conditions, phase, clockFields, gates } = reconciler
  const quick = { ...reconciler, gates: gates.slice(0, quickGates) }
  return async (object, context) => {
    const known = object.status as { readonly conditions?: unknown } | undefined
    if (quickGates === 0 || known?.conditions !== undefined || isGoing(object)) {
      return reconcile(object, context)
    }
    const { now } = context
    const at = { now, generation: object.metadata.generation ?? 0 }
    let current = object
    const tell = async (verdicts: readonly Verdict[], detail: object): Promise<void> => {
      const folded = foldVerdicts(conditions, verdicts, undefined, at)
      const status = { ...detail, ...folded, ...(phase && { phase: phase(folded.conditions) }) }
      const written = await writeStatus(api, current, status, { now, clockFields })
      if (written !== undefined) context.remember(written)
      current = written ?? current
    }
    await tell([], {})
    const answered = await quickAnswers(quick, current, context)
    if (answered !== undefined) await tell(answered.verdicts, answered.detail)
    return reconcile(current, context)
  }
}

/** What the first gates say, if all of them pass; otherwise whoever asks all of them tells why. */
async function quickAnswers<T extends KubeObject>(
  { gates }: Pick<LivingReconciler<T>, 'gates'>,
  object: T,
  { now, signal }: Parameters<Reconcile<T>>[1],
): Promise<{ verdicts: readonly Verdict[]; detail: object } | undefined> {
  const verdicts: Verdict[] = []
  const detail = {}
  try {
    for (const gate of gates) {
      const verdict = await gate.check(object, detail, { now, signal })
      if (verdict.kind !== 'pass') return undefined
      verdicts.push(verdict)
      Object.assign(detail, verdict.detail)
    }
    return { verdicts, detail }
  } catch {
    return undefined
  }
}

const isGoing = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined
