import type { Condition } from '@agents/kube'
import { rfc3339 } from './rfc3339.ts'

/** A condition to set. Its `lastTransitionTime` follows from the condition that it replaces. */
export type ConditionUpdate = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>

/** The time of an observation and the `metadata.generation` that was observed. */
export interface Observation {
  readonly now: Date
  readonly generation: number
}

/** The conditions by type. If a type occurs twice, the first entry counts, as for every Kubernetes client. */
export function indexByType(conditions: readonly Condition[]): Map<string, Condition> {
  const byType = new Map<string, Condition>()
  for (const condition of conditions) {
    if (!byType.has(condition.type)) byType.set(condition.type, condition)
  }
  return byType
}

/** The condition that replaces `previous`. Only a change of `status` changes `lastTransitionTime`. */
export function nextCondition(
  previous: Condition | undefined,
  { type, status, reason, message }: ConditionUpdate,
  { now, generation }: Observation,
): Condition {
  const lastTransitionTime =
    previous?.status === status && previous.lastTransitionTime
      ? previous.lastTransitionTime
      : rfc3339(now)
  return {
    type,
    status,
    reason,
    message: storable(message),
    lastTransitionTime,
    observedGeneration: generation,
  }
}

/** The length that every CRD allows for the message of a condition, as in `metav1.Condition`. */
const maxMessageLength = 32_768

/**
 * The message as the API server stores it. The server would reject the whole status for a message that is too long, and
 * it replaces half a surrogate pair, so that every reconcile would find a difference and write again.
 */
function storable(message: string): string {
  const kept =
    message.length > maxMessageLength ? `${message.slice(0, maxMessageLength - 1)}…` : message
  return kept.toWellFormed()
}
