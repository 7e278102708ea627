/** What admission decides about a run. */
export type AdmissionDecision<Reason extends WaitingReason = WaitingReason> =
  | Admitted
  | Waiting<Reason>

/** The run has a slot and keeps it until it finishes. */
interface Admitted {
  readonly kind: 'admitted'
}

export interface Waiting<Reason extends WaitingReason = WaitingReason> {
  readonly kind: 'waiting'
  readonly reason: Reason
  /** Stays the same while nothing but the clock changes. */
  readonly message: string
  /**
   * The number of runs ahead that wait for the same, plus one. Undefined if the run does not fit into the queue.
   */
  readonly position: number | undefined
  /** The number of all runs ahead in the queue, plus one. */
  readonly overallPosition: number
  /** Set if the run waits for a rate limit. */
  readonly eligibleAt?: Date
  /** When to update the position. A run whose turn it is is requeued at once. */
  readonly retryAfterMs: number
}

export const waitingReasons = [
  'Queued',
  'ConcurrencyLimit',
  'QueueLimit',
  'RateLimited',
  'WorkspaceInUse',
] as const

export type WaitingReason = (typeof waitingReasons)[number]
