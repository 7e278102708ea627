export type ConditionStatus = 'True' | 'False' | 'Unknown'

/** `metav1.Condition`: one observed fact about an object. */
export interface Condition {
  type: string
  status: ConditionStatus
  /** CamelCase, from a closed list: machines match on it. */
  reason: string
  /** For people: what was observed, and what to do about it. */
  message: string
  /** RFC 3339; changes only with `status`. */
  lastTransitionTime: string
  observedGeneration?: number
}
