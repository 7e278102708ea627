import { type KindController, livingReconciler, type Source } from '@agents/controller'
import { type Signal, type SignalDelivery, signalConditions, signalPhase } from '@agents/jangar-api'
import { formatKey } from '@agents/kube'
import type { SupportingCaches } from '../../caches/supporting-caches.ts'
import { validated } from './gates/validated.ts'
import { type PayloadChecks, payloadChecks } from './payload-checks.ts'
import { onWaitingChange, signalsWaitedFor } from './waiting-steps.ts'

interface SignalPorts {
  readonly caches: Pick<SupportingCaches, 'signals' | 'signalDeliveries' | 'orchestrationRuns'>
  /** Shared with the controller of the other kind of signals. */
  readonly checks?: PayloadChecks
}

const acceptedIndex = 'accepted by signal'
const waitingIndex = 'waits for signal'

/** Reconciles Signals: valid if their schema is. The status has their latest deliveries and who waits. */
export function signalController({
  caches,
  checks = payloadChecks(),
}: SignalPorts): KindController<Signal> {
  const { signals, signalDeliveries, orchestrationRuns } = caches
  signalDeliveries.addIndexers({ [acceptedIndex]: acceptedBy })
  orchestrationRuns.addIndexers({ [waitingIndex]: signalsWaitedFor })
  return {
    primary: signals,
    reconciler: livingReconciler({
      kind: 'Signal',
      conditions: signalConditions,
      gates: [
        validated({
          checks,
          acceptedBy: ({ metadata }) =>
            signalDeliveries.byIndex(acceptedIndex, formatKey(metadata)),
          waitingFor: ({ metadata }) =>
            orchestrationRuns.byIndex(waitingIndex, formatKey(metadata)),
        }),
      ],
      phase: signalPhase,
    }),
    sources: [acceptedDeliveries(signalDeliveries), waitingRuns(orchestrationRuns)],
    gone: (key) => checks.forget(key),
  }
}

/** However many deliveries are accepted and steps wait, the status of a Signal is written once in this time. */
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

function waitingRuns(runs: SupportingCaches['orchestrationRuns']): Source {
  return {
    name: 'waiting runs',
    start: (enqueue) => onWaitingChange(runs, (key) => enqueue(key, { afterMs: coalesceMs })),
  }
}

/** The key of the Signal that a delivery was accepted for. */
function acceptedBy({ metadata: { namespace }, spec, status }: SignalDelivery): string[] {
  const name = spec?.signalRef.name
  if (status?.deliveredAt === undefined || name === undefined) return []
  return [formatKey({ namespace, name })]
}
