import { mappedSource, type Source, type Step, stepWaits } from '@agents/controller'
import type { SignalDelivery } from '@agents/jangar-api'
import { formatKey } from '@agents/kube'
import type { SupportingCaches } from '../../caches/supporting-caches.ts'
import { deliveredIndex } from './delivery-identity.ts'

/** The Signal tells when it has recorded a delivery, so this is for a Signal that cannot. */
const againMs = 600_000

/**
 * Runs the step once the status of the Signal shows the delivery or a later one. The Signal finds its deliveries in the
 * cache, some time after they are accepted: one that is deleted before would never be in its history.
 */
export function onceRecorded(
  signals: Pick<SupportingCaches['signals'], 'get'>,
  step: Step<SignalDelivery>,
): Step<SignalDelivery> {
  return {
    name: step.name,
    run: (delivery, context) =>
      isRecorded(delivery, signals)
        ? step.run(delivery, context)
        : stepWaits('the Signal does not show the delivery yet', againMs),
  }
}

function isRecorded(
  { metadata: { namespace }, spec, status }: SignalDelivery,
  signals: Pick<SupportingCaches['signals'], 'get'>,
): boolean {
  const { deliveredAt } = status ?? {}
  if (deliveredAt === undefined) return true
  const signal = signals.get(formatKey({ namespace, name: spec.signalRef.name }))
  if (signal === undefined) return true
  const { creationTimestamp, deletionTimestamp } = signal.metadata
  const delivered = Date.parse(deliveredAt)
  // A later Signal of the same name never shows it.
  if (deletionTimestamp !== undefined || delivered < timeOf(creationTimestamp)) return true
  return timeOf(signal.status?.lastDeliveryAt) >= delivered
}

function timeOf(timestamp: string | undefined): number {
  return timestamp === undefined ? 0 : Date.parse(timestamp)
}

/** Requeues the deliveries that the status of their Signal has come to show, or never will. */
export function recordedSource({
  signals,
  signalDeliveries,
}: Pick<SupportingCaches, 'signals' | 'signalDeliveries'>): Source {
  return mappedSource(
    'recorded deliveries',
    signals,
    ({ metadata, status }) =>
      signalDeliveries
        .byIndex(deliveredIndex, formatKey(metadata))
        .filter(
          (delivery) => timeOf(delivery.status?.deliveredAt) >= timeOf(status?.lastDeliveryAt),
        )
        .map((delivery) => delivery.metadata),
    {
      add: () => false,
      update: (before, after) => before.status?.lastDeliveryAt !== after.status?.lastDeliveryAt,
    },
  )
}
