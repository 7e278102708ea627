import { Line, type Rank, type Room } from './line.ts'
import { isQueueFull, type Scope } from './scope.ts'
import { type Arrivals, arrivalIndex, insertArrival, removeArrival, type Waiter } from './waiter.ts'

/**
 * All who wait: in the queue as many as its bounds allow, the others outside, in the order in which they came. Nobody is sent
 * away: as the queue drains, those outside move up.
 */
export class WaitingRoom {
  readonly #line = new Line()
  readonly #outside: Arrivals = []
  readonly #waiters = new Map<string, Waiter>()
  readonly #cluster: Scope

  /** `cluster` counts everybody. */
  constructor(cluster: Scope) {
    this.#cluster = cluster
  }

  get size(): number {
    return this.#waiters.size
  }

  get(key: string): Waiter | undefined {
    return this.#waiters.get(key)
  }

  add(waiter: Waiter): void {
    this.#waiters.set(waiter.key, waiter)
    for (const scope of waiter.place.scopes) scope.users += 1
    if (queueBound(waiter)) insertArrival(this.#outside, waiter)
    else this.#queue(waiter)
  }

  remove(key: string): void {
    const waiter = this.#waiters.get(key)
    if (!waiter) return
    if (this.isOutside(waiter)) removeArrival(this.#outside, waiter)
    else {
      this.#line.remove(waiter)
      this.#left(waiter)
    }
    this.#forget(waiter)
  }

  /** Who is outside gets a place only if nobody in the queue can use it; better him than nobody. */
  takeNext(room: Room): Waiter | undefined {
    if (!room.in(this.#cluster)) return undefined
    const next = this.#line.takeNext(room)
    if (next) {
      this.#left(next)
      this.#forget(next)
      return next
    }
    const other = this.#outside.find((waiter) => room.for(waiter))
    if (other) this.remove(other.key)
    return other
  }

  isOutside(waiter: Waiter): boolean {
    return this.#outside[arrivalIndex(this.#outside, waiter)] === waiter
  }

  rank(waiter: Waiter): Rank {
    if (!this.isOutside(waiter)) return this.#line.rank(waiter)
    const overall = this.#line.size + arrivalIndex(this.#outside, waiter) + 1
    return { overall, inNamespace: overall, inRepository: overall }
  }

  #queue(waiter: Waiter): void {
    this.#line.add(waiter)
    for (const scope of waiter.place.scopes) scope.queued += 1
  }

  /** Only a bound that was reached can have kept somebody out; when all are reached again, nobody else fits. */
  #left(waiter: Waiter): void {
    const { scopes } = waiter.place
    const reached = scopes.filter(isQueueFull)
    for (const scope of scopes) scope.queued -= 1
    for (let at = 0; at < this.#outside.length && !reached.every(isQueueFull); ) {
      const other = this.#outside[at]
      if (other && queueBound(other) === undefined) {
        this.#outside.splice(at, 1)
        this.#queue(other)
      } else at += 1
    }
  }

  #forget(waiter: Waiter): void {
    this.#waiters.delete(waiter.key)
    for (const scope of waiter.place.scopes) scope.users -= 1
  }
}

/** What keeps a run out of the queue. */
export function queueBound({ place }: Waiter): Scope | undefined {
  return place.scopes.find(isQueueFull)
}
