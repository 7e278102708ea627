import { mappedSource, type ResourceCache, type Source } from '@agents/controller'
import type { Json } from '@agents/crd'
import type { OrchestrationRun, SignalDelivery } from '@agents/jangar-api'
import { formatKey, parseKey } from '@agents/kube'
import { isTrue } from '../../kubernetes/condition-of.ts'
import type { Graph, GraphStep, RawStep } from '../definition/graph.ts'
import { nameOfSignal } from '../definition/references.ts'
import type { Outputs, StepState, UnitState, Waits } from '../plan/plan-states.ts'
import { evaluate, scopeFor } from './step-evaluation.ts'

const signalIndex = 'signalOfDelivery'

/** Connects deliveries of Signals to the runs that wait for them. */
export class SignalWaits {
  readonly #deliveries: ResourceCache<SignalDelivery>
  /** Runs by signal. Filled by reconciling, so also after a restart. */
  readonly #waiting = new Map<string, Set<string>>()

  constructor(deliveries: ResourceCache<SignalDelivery>) {
    this.#deliveries = deliveries
    deliveries.addIndexers({
      [signalIndex]: ({ metadata: { namespace }, spec }) =>
        spec?.signalRef?.name === undefined
          ? []
          : [formatKey({ namespace, name: spec.signalRef.name })],
    })
  }

  /** Requeues the runs that wait for the Signal of an accepted delivery. */
  get source(): Source {
    return mappedSource(
      'signaldeliveries',
      this.#deliveries,
      ({ metadata: { namespace }, spec }) => {
        const key = formatKey({ namespace, name: spec?.signalRef?.name ?? '' })
        return [...(this.#waiting.get(key) ?? [])].map(parseKey)
      },
      {
        add: (delivery) => isTrue(delivery, 'Accepted'),
        update: (before, after) => isTrue(before, 'Accepted') !== isTrue(after, 'Accepted'),
        delete: () => false,
      },
    )
  }

  /** To be called before the deliveries are read: one that comes later requeues the run. */
  watch(run: OrchestrationRun, graph: Graph): void {
    const key = formatKey(run.metadata)
    for (const { kind, inputs } of graph.steps) {
      if (kind !== 'SignalWait') continue
      const signal = this.#keyOf(run, inputs)
      this.#waiting.set(signal, (this.#waiting.get(signal) ?? new Set()).add(key))
    }
  }

  forget(run: string): void {
    for (const [signal, runs] of this.#waiting) {
      runs.delete(run)
      if (runs.size === 0) this.#waiting.delete(signal)
    }
  }

  of(
    run: OrchestrationRun,
    graph: Graph,
    parameters: Readonly<Record<string, string>>,
    { states, now }: { readonly states: readonly StepState[]; readonly now: Date },
  ): Waits<GraphStep> {
    const thisSecond = Math.floor(now.getTime() / 1000) * 1000
    return {
      seen: (step) =>
        this.#accepted(run, step.inputs)
          .filter((delivery) => createdAt(delivery) >= thisSecond)
          .map(({ metadata }) => metadata.uid ?? metadata.name),
      arrived: (step, unit, inputs) => {
        if (step.kind !== 'SignalWait') return undefined
        const { deliveryId } = inputs as { readonly deliveryId?: string }
        const steps = Object.fromEntries(states.map((state) => [state.name, resultOf(state)]))
        const scope = scopeFor(run, parameters, { steps })
        const found = this.#accepted(run, step.inputs)
          .filter((one) => isMeant(one, unit, deliveryId))
          .find(
            (one) => evaluate(graph, step, 'match', { ...scope, payload: payloadOf(one) }) === true,
          )
        return found && asOutputs(payloadOf(found))
      },
    }
  }

  #keyOf({ metadata: { namespace } }: OrchestrationRun, step: RawStep): string {
    return formatKey({ namespace, name: nameOfSignal(step) ?? '' })
  }

  /** The accepted deliveries of the Signal, the oldest first. */
  #accepted(run: OrchestrationRun, step: RawStep): SignalDelivery[] {
    return this.#deliveries
      .byIndex(signalIndex, this.#keyOf(run, step))
      .filter((delivery) => isTrue(delivery, 'Accepted'))
      .toSorted(
        (a, b) => createdAt(a) - createdAt(b) || (a.metadata.name < b.metadata.name ? -1 : 1),
      )
  }
}

function resultOf({ outputs = {}, phase }: StepState) {
  return { outputs, outcome: phase }
}

function createdAt({ metadata }: SignalDelivery): number {
  return Date.parse(metadata.creationTimestamp ?? '')
}

/**
 * Whether the delivery was made after the wait began, or has the identifier that is waited for. Times of objects are
 * whole seconds, so those of the same second that existed at the begin are remembered.
 */
function isMeant(
  delivery: SignalDelivery,
  { startedAt = 0, seen = [] }: UnitState,
  deliveryId: string | undefined,
): boolean {
  if (deliveryId !== undefined && deliveryId !== '') return delivery.spec.deliveryId === deliveryId
  const { uid = '', name } = delivery.metadata
  if (seen.includes(uid) || seen.includes(name)) return false
  return createdAt(delivery) >= Math.floor(startedAt / 1000) * 1000
}

function payloadOf({ spec, status }: SignalDelivery): Json {
  return (spec.payload ?? status?.payload ?? {}) as Json
}

function asOutputs(payload: Json): Outputs {
  const isObject = typeof payload === 'object' && payload !== null && !Array.isArray(payload)
  return isObject ? payload : { payload }
}
