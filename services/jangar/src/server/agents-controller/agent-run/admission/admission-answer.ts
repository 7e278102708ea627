/** What admission says about a run. */
export type AdmissionAnswer = Admitted | Waiting

/** The run has a place, which it keeps until it ends. */
export interface Admitted {
  readonly kind: 'admitted'
}

export interface Waiting {
  readonly kind: 'waiting'
  readonly reason: 'Queued' | 'ConcurrencyLimit' | 'QueueLimit' | 'RateLimited'
  /** Says the same as long as nothing but the clock moves. */
  readonly message: string
  /** How many runs go first, plus one. */
  readonly position: number
  /** Known only where it is the time that is waited for. */
  readonly eligibleAt?: Date
  /** For a fresh look at the position; a run whose turn comes is woken at once. */
  readonly retryAfterMs: number
}
