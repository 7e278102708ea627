import { lowPriority, type ResourceCache, type Source } from '@agents/controller'
import type { Json } from '@agents/crd'
import type { OrchestrationRun, SignalDelivery } from '@agents/jangar-api'
import { formatKey } from '@agents/kube'
import { isTrue } from '../../kubernetes/condition-of.ts'
import { nameOfSignal } from '../../supporting-primitives-controller/signal/name-of-signal.ts'
import type { Graph, GraphStep, RawStep } from '../definition/graph.ts'
import type { Outputs, StepState, UnitState, Waits } from '../plan/plan-states.ts'
import { evaluate, scopeFor } from './step-evaluation.ts'

const signalIndex = 'signalOfDelivery'
const identifierIndex = 'identifierOfDelivery'

/** Connects deliveries of Signals to the runs that wait for them. */
export class SignalWaits {
  readonly #deliveries: ResourceCache<SignalDelivery>
  /** Runs by signal. Filled by reconciling, so also after a restart. */
  readonly #waiting = new Map<string, Set<string>>()
  /**
   * Deliveries that do not match, by run and step: what an expression refers to has ended before the step begins, so
   * the answer never changes.
   */
  readonly #others = new Map<string, Map<string, WeakSet<SignalDelivery>>>()

  constructor(deliveries: ResourceCache<SignalDelivery>) {
    this.#deliveries = deliveries
    deliveries.addIndexers({
      [signalIndex]: ({ metadata: { namespace }, spec }) =>
        spec?.signalRef?.name === undefined
          ? []
          : [formatKey({ namespace, name: spec.signalRef.name })],
      [identifierIndex]: ({ metadata: { namespace }, spec }) =>
        spec?.deliveryId === undefined ? [] : [identifierKey(namespace, spec.deliveryId)],
    })
  }

  /** Requeues the runs that wait for the Signal of an accepted delivery. */
  get source(): Source {
    return {
      name: 'signaldeliveries',
      start: (enqueue) => {
        const requeue = (delivery: SignalDelivery, priority = 0): void => {
          const runs = this.#waitingFor(delivery)
          const afterMs = runs.size > few ? burstMs : 0
          for (const run of runs) enqueue(run, { priority, afterMs })
        }
        return this.#deliveries.subscribe({
          onAdd: (delivery, isInInitialList) => {
            if (isTrue(delivery, 'Accepted')) requeue(delivery, isInInitialList ? lowPriority : 0)
          },
          onUpdate: (before, after) => {
            if (!isTrue(before, 'Accepted') && isTrue(after, 'Accepted')) requeue(after)
          },
          onDelete: () => undefined,
        })
      },
    }
  }

  #waitingFor({ metadata: { namespace }, spec }: SignalDelivery): ReadonlySet<string> {
    const keys = [spec?.signalRef?.name ?? anySignal, anySignal].map((name) =>
      formatKey({ namespace, name }),
    )
    return new Set(keys.flatMap((key) => [...(this.#waiting.get(key) ?? [])]))
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
    this.#others.delete(run)
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
        this.#accepted(run, step.inputs, undefined)
          .filter((delivery) => createdAt(delivery) >= thisSecond)
          .map(({ metadata }) => metadata.uid ?? metadata.name),
      arrived: (step, unit, inputs) => {
        if (step.kind !== 'SignalWait') return undefined
        const { deliveryId } = inputs as { readonly deliveryId?: string }
        const steps = Object.fromEntries(states.map((state) => [state.name, resultOf(state)]))
        const scope = scopeFor(run, parameters, { steps })
        const others = this.#othersOf(run, step)
        const found = this.#accepted(run, step.inputs, deliveryId)
          .filter((one) => isMeant(one, unit, deliveryId))
          .find((one) => {
            if (others.has(one)) return false
            const isMatch =
              evaluate(graph, step, 'match', { ...scope, payload: payloadOf(one) }) === true
            if (!isMatch) others.add(one)
            return isMatch
          })
        return found && asOutputs(payloadOf(found))
      },
    }
  }

  #othersOf({ metadata }: OrchestrationRun, { name }: GraphStep): WeakSet<SignalDelivery> {
    const key = formatKey(metadata)
    const ofRun = this.#others.get(key) ?? new Map<string, WeakSet<SignalDelivery>>()
    const id = `${metadata.uid} ${name}`
    const others = ofRun.get(id) ?? new WeakSet()
    this.#others.set(key, ofRun.set(id, others))
    return others
  }

  #keyOf({ metadata: { namespace } }: OrchestrationRun, step: RawStep): string {
    return formatKey({ namespace, name: nameOfSignal(step) ?? anySignal })
  }

  /** The accepted deliveries of the Signal, the oldest first; without a Signal, those with the identifier. */
  #accepted(
    run: OrchestrationRun,
    step: RawStep,
    deliveryId: string | undefined,
  ): SignalDelivery[] {
    const found =
      nameOfSignal(step) === undefined
        ? this.#deliveries.byIndex(
            identifierIndex,
            identifierKey(run.metadata.namespace, deliveryId ?? ''),
          )
        : this.#deliveries.byIndex(signalIndex, this.#keyOf(run, step))
    return found
      .filter((delivery) => isTrue(delivery, 'Accepted'))
      .toSorted(
        (a, b) => createdAt(a) - createdAt(b) || (a.metadata.name < b.metadata.name ? -1 : 1),
      )
  }
}

/** With more runs that wait, deliveries that follow each other closely are looked at together. */
const few = 8
const burstMs = 100

/** Stands for the Signal of a step that names a delivery only. */
const anySignal = ''

function identifierKey(namespace: string | undefined, deliveryId: string): string {
  return JSON.stringify([namespace, deliveryId])
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
