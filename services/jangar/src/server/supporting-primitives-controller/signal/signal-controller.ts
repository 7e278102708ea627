import { type KindController, livingReconciler, type Source } from '@agents/controller'
import { type Signal, type SignalDelivery, signalConditions, signalPhase } from '@agents/jangar-api'
import { formatKey } from '@agents/kube'
import type { SupportingCaches } from '../../caches/supporting-caches.ts'
import { validated } from './gates/validated.ts'
import { type PayloadChecks, payloadChecks } from './payload-checks.ts'

interface SignalPorts {
  readonly caches: Pick<SupportingCaches, 'signals' | 'signalDeliveries'>
  /** Shared with the controller of the other kind of signals. */
  readonly checks?: PayloadChecks
}

const acceptedIndex = 'accepted by signal'

/** Reconciles Signals: valid if their schema is. The status has their latest deliveries. */
export function signalController({
  caches,
  checks = payloadChecks(),
}: SignalPorts): KindController<Signal> {
  const { signals, signalDeliveries } = caches
  signalDeliveries.addIndexers({
    [acceptedIndex]: acceptedBy,
  })
  return {
    primary: signals,
    reconciler: livingReconciler({
      kind: 'Signal',
      conditions: signalConditions,
      gates: [
        validated(checks, ({ metadata }) =>
          signalDeliveries.byIndex(acceptedIndex, formatKey(metadata)),
        ),
      ],
      phase: signalPhase,
    }),
    sources: [acceptedDeliveries(signalDeliveries)],
    gone: (key) => checks.forget(key),
  }
}

/** However many deliveries are accepted, the status of a Signal is written once in this time. */
const coalesceMs = 1000

function acceptedDeliveries(deliveries: SupportingCaches['signalDeliveries']): Source {
  return {
    name: 'deliveries',
    start: (enqueue) => {
      const add = (delivery: SignalDelivery): void => {
        const [key] = acceptedBy(delivery)
        if (key !== undefined) enqueue(key, { afterMs: coalesceMs })
      }
      return deliveries.subscribe({
        onAdd: add,
        onUpdate: (before, after) => {
          if (acceptedBy(before).length === 0) add(after)
        },
        onDelete: () => undefined,
      })
    },
  }
}

/** The key of the Signal that a delivery was accepted for. */
function acceptedBy({ metadata: { namespace }, spec, status }: SignalDelivery): string[] {
  const name = spec?.signalRef.name
  if (status?.deliveredAt === undefined || name === undefined) return []
  return [formatKey({ namespace, name })]
}
