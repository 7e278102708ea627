import type { Condition } from '@agents/kube'
import { rfc3339 } from './rfc3339.ts'

/** What is to be said; when it was first so follows from what was said before. */
export type ConditionUpdate = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>

/** When, and about which `metadata.generation`, something was observed. */
export interface Observation {
  readonly now: Date
  readonly generation: number
}

/**
 * Inserts or replaces one condition in a map keyed by type. Positions are kept, a new type goes last. Where the input holds
 * a type twice, the first entry is the one that counts, as for every Kubernetes client.
 */
export function setCondition(
  conditions: readonly Condition[],
  update: ConditionUpdate,
  at: Observation,
): Condition[] {
  const byType = indexByType(conditions)
  byType.set(update.type, follow(byType.get(update.type), update, at))
  return [...byType.values()]
}

export function indexByType(conditions: readonly Condition[]): Map<string, Condition> {
  const byType = new Map<string, Condition>()
  for (const condition of conditions) {
    if (!byType.has(condition.type)) byType.set(condition.type, condition)
  }
  return byType
}

/** The condition that comes after `previous`: only a change of `status` moves `lastTransitionTime`. */
export function follow(
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

/** What every CRD allows a condition's message, as in `metav1.Condition`. */
const LONGEST_MESSAGE = 32_768

/**
 * The message as the API server gives it back: one that is too long would have the whole status refused, and half a
 * surrogate pair is not stored as it is, so that the next look would find a difference again and again.
 */
function storable(message: string): string {
  const kept =
    message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE - 1)}…` : message
  return kept.toWellFormed()
}
