import type { SignalDelivery } from '@agents/jangar-api'
import { formatKey, type Indexer } from '@agents/kube'
import { isFinished } from '@agents/status'

export const identityIndex = 'identity of delivery'
export const waitingIndex = 'waiting for signal'
export const deliveredIndex = 'delivered to signal'

/** Indexes of the delivery cache, so that checking a delivery does not scan all others. */
export const deliveryIndexers: Readonly<Record<string, Indexer<SignalDelivery>>> = {
  [identityIndex]: (delivery) => {
    const identity = identityOf(delivery)
    return identity === undefined ? [] : [identity]
  },
  /** Only unfinished deliveries, by the key of their Signal. */
  [waitingIndex]: ({ metadata: { namespace }, spec, status }) => {
    const name = spec?.signalRef.name
    if (name === undefined || isFinished(status?.conditions)) return []
    return [formatKey({ namespace, name })]
  },
  /** Only accepted deliveries, by the key of their Signal. */
  [deliveredIndex]: ({ metadata: { namespace }, spec, status }) => {
    const name = spec?.signalRef.name
    return name === undefined || status?.deliveredAt === undefined
      ? []
      : [formatKey({ namespace, name })]
  },
}

/** The event that a delivery is about. Undefined if it has no identifier: then each delivery is an event of its own. */
export function identityOf({ metadata, spec }: SignalDelivery): string | undefined {
  const { deliveryId, signalRef } = spec ?? {}
  if (deliveryId === undefined || deliveryId === '') return undefined
  return JSON.stringify([metadata.namespace, signalRef?.name, deliveryId])
}
