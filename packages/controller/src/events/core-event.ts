import type { ClusterEvent, KubeObject } from '@agents/kube'
import { rfc3339 } from '@agents/status'
import type { EventNote } from './event-recorder.ts'

export interface EventSource {
  /** The reporting controller, such as `agents.example.com/agentrun`. */
  readonly component: string
  /** The pod or machine. */
  readonly instance: string
}

/** When the first and the last of the counted events happened. */
export interface Occurrences {
  readonly count: number
  readonly first: Date
  readonly last: Date
}

/** An event about an object, in the object's namespace, or in `default` for cluster-scoped objects. */
export function coreEvent(
  { apiVersion, kind, metadata }: KubeObject,
  { type, reason, message, action = reason }: EventNote,
  { component, instance }: EventSource,
  { count, first, last }: Occurrences,
  uniqueHex: string,
): Omit<ClusterEvent, 'apiVersion' | 'kind'> {
  const namespace = metadata.namespace ?? 'default'
  const { name, uid, resourceVersion } = metadata
  return {
    metadata: {
      name: `${name.slice(0, longestName - uniqueHex.length - 1)}.${uniqueHex}`,
      namespace,
    },
    involvedObject: {
      apiVersion,
      kind,
      name,
      ...(metadata.namespace !== undefined && { namespace: metadata.namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
    },
    type,
    reason: cut(reason, longestReason),
    message: cut(message, longestMessage),
    action: cut(action, longestReason),
    count,
    firstTimestamp: rfc3339(first),
    lastTimestamp: rfc3339(last),
    source: { component },
    reportingComponent: component,
    reportingInstance: cut(instance, longestReason),
  }
}

/** The patch for an event that happened again. */
export function repetition({ count, last }: Occurrences, message: string): object {
  return { count, lastTimestamp: rfc3339(last), message: cut(message, longestMessage) }
}

const longestName = 253
const longestReason = 128
const longestMessage = 1024

function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`
}
