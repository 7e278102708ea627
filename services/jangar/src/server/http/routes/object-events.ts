import type { ClusterEvent, KindRef } from '@agents/kube'

/** An event as the API answers it. */
interface EventRecord {
  readonly uid: string
  readonly type: string
  readonly reason: string
  readonly message: string
  readonly count: number
  readonly firstAt?: string
  readonly lastAt: string
  readonly from?: string
}

const mostEvents = 200

/** Selects the events of an object by its kind and name, which path patterns have checked. */
export function eventSelector({ kind }: KindRef, name: string): string {
  return `involvedObject.kind=${kind},involvedObject.name=${name}`
}

/** The events, newest first. A kind of another group may have the same name: its events are left out. */
export function eventRecords(
  events: readonly ClusterEvent[],
  { group }: KindRef,
): readonly EventRecord[] {
  return events
    .filter(
      ({ involvedObject: { apiVersion } }) => !apiVersion || apiVersion.startsWith(`${group}/`),
    )
    .map(recordOf)
    .toSorted((a, b) => (a.lastAt < b.lastAt ? 1 : -1))
    .slice(0, mostEvents)
}

function recordOf(event: ClusterEvent): EventRecord {
  const { metadata, type, reason = '', message = '', count, firstTimestamp, lastTimestamp } = event
  const from = event.reportingComponent || event.source?.component
  const createdAt = metadata.creationTimestamp ?? ''
  return {
    uid: metadata.uid ?? '',
    type: type ?? 'Normal',
    ...{ reason, message, count: count ?? 1 },
    ...(firstTimestamp && { firstAt: firstTimestamp }),
    lastAt: lastTimestamp || event.eventTime || createdAt,
    ...(from && { from }),
  }
}
