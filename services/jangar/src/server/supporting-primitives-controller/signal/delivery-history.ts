import type { Signal, SignalDelivery } from '@agents/jangar-api'

type Status = NonNullable<Signal['status']>
type PastDelivery = NonNullable<Status['history']>[number]
type DeliveryHistory = Pick<Status, 'history' | 'lastDeliveryAt'>

const mostPast = 10

/**
 * The latest deliveries of a Signal: those that exist, and those that the status shows already. Deliveries of an
 * earlier Signal with the same name do not count.
 */
export function deliveryHistory(
  { metadata, status }: Signal,
  accepted: readonly SignalDelivery[],
): DeliveryHistory {
  const since = Date.parse(metadata.creationTimestamp ?? '') || 0
  const found = accepted.map(pastDelivery).filter((one) => one !== undefined)
  const byIdentity = new Map(
    [...(status?.history ?? []), ...found]
      .filter(({ deliveredAt }) => Date.parse(deliveredAt) >= since)
      .map((one) => [`${one.deliveredAt} ${one.name}`, one]),
  )
  const history = [...byIdentity]
    .toSorted(([a], [b]) => (a < b ? 1 : -1))
    .slice(0, mostPast)
    .map(([, one]) => one)
  const [latest] = history
  return latest === undefined ? {} : { history, lastDeliveryAt: latest.deliveredAt }
}

function pastDelivery({ metadata, spec, status }: SignalDelivery): PastDelivery | undefined {
  const { deliveredAt } = status ?? {}
  if (deliveredAt === undefined) return undefined
  const { deliveryId } = spec
  return { name: metadata.name, ...(deliveryId !== undefined && { deliveryId }), deliveredAt }
}
