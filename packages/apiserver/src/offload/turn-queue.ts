/** Maximum number of queued requests, in total and per user. */
const maxWaiting = 64
const maxWaitingOfOne = 16

/** Half-life of the time that a user has used. */
const halfLifeMs = 30_000

interface Waiting {
  readonly user: string
  /** Whether the client has disconnected. */
  readonly isGone: () => boolean
  readonly settle: (isTurn: boolean) => void
}

/**
 * Runs one request at a time and prefers the user that has used the least time, so that no user blocks the others.
 */
export class TurnQueue {
  readonly #now: () => number
  #waiting: Waiting[] = []
  #current: { readonly user: string; readonly began: number } | undefined
  readonly #spent = new Map<string, { readonly ms: number; readonly at: number }>()

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /**
   * Resolves to true when it is the request's turn, after which the caller must call `release`; to false if the request
   * was evicted or its client has disconnected; to undefined if the queue is full.
   */
  wait(user: string, isGone: () => boolean = () => false): Promise<boolean> | undefined {
    this.#dropDisconnected()
    const own = this.#waiting.filter((one) => one.user === user).length
    if (own >= maxWaitingOfOne) return undefined
    if (this.#waiting.length >= maxWaiting && !this.#makeRoom(own)) return undefined
    return new Promise((settle) => {
      this.#waiting.push({ user, isGone, settle })
      this.#next()
    })
  }

  release(): void {
    const { user, began } = this.#current ?? { user: '', began: 0 }
    const at = this.#now()
    this.#current = undefined
    // Each turn counts, even a very short one.
    this.#spent.set(user, { ms: this.#spentBy(user) + Math.max(1, at - began), at })
    for (const known of [...this.#spent.keys()]) {
      if (this.#spentBy(known) < 0.5) this.#spent.delete(known)
    }
    this.#next()
  }

  #next(): void {
    if (this.#current !== undefined) return
    this.#dropDisconnected()
    const [first] = this.#waiting
    if (first === undefined) return
    const chosen = this.#waiting.reduce(
      (best, one) => (this.#spentBy(one.user) < this.#spentBy(best.user) ? one : best),
      first,
    )
    this.#waiting = this.#waiting.filter((one) => one !== chosen)
    this.#current = { user: chosen.user, began: this.#now() }
    chosen.settle(true)
  }

  #spentBy(user: string): number {
    const spent = this.#spent.get(user)
    return spent === undefined ? 0 : spent.ms * 0.5 ** ((this.#now() - spent.at) / halfLifeMs)
  }

  /** Evicts the last request of the user with the most queued requests, if that user has more than the new one. */
  #makeRoom(own: number): boolean {
    const counts = new Map<string, number>()
    for (const { user } of this.#waiting) counts.set(user, (counts.get(user) ?? 0) + 1)
    const [most, count] = [...counts].reduce((best, one) => (one[1] > best[1] ? one : best))
    const evicted = this.#waiting.findLast(({ user }) => user === most)
    if (evicted === undefined || count <= own + 1) return false
    this.#waiting = this.#waiting.filter((one) => one !== evicted)
    evicted.settle(false)
    return true
  }

  #dropDisconnected(): void {
    const gone = this.#waiting.filter(({ isGone }) => isGone())
    if (gone.length === 0) return
    this.#waiting = this.#waiting.filter((one) => !gone.includes(one))
    for (const { settle } of gone) settle(false)
  }
}
