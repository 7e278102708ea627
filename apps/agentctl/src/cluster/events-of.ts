import {
  type ClusterEvent,
  EventKind,
  isForbidden,
  type KubeClient,
  type KubeObject,
} from '@agents/kube'

/** The events of an object, oldest first. Empty if events may not be read. */
export async function eventsOf(
  client: KubeClient,
  { kind, metadata }: KubeObject,
  signal: AbortSignal,
): Promise<ClusterEvent[]> {
  const { name, namespace = 'default', uid } = metadata
  try {
    const { items } = await client.list(EventKind, {
      namespace,
      fieldSelector: `involvedObject.kind=${kind},involvedObject.name=${name}`,
      signal,
    })
    return items
      .filter(
        ({ involvedObject }) => involvedObject.uid === undefined || involvedObject.uid === uid,
      )
      .toSorted((a, b) => timeOf(a).localeCompare(timeOf(b)))
  } catch (error) {
    if (isForbidden(error)) return []
    throw error
  }
}

export function timeOf({ lastTimestamp, eventTime, metadata }: ClusterEvent): string {
  return lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? ''
}
