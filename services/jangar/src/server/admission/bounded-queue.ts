import { type Capacity, FairQueue, type Rank } from './fair-queue.ts'
import {
  type Arrivals,
  arrivalIndex,
  compareArrival,
  insertArrival,
  type QueuedRun,
  removeArrival,
} from './queued-run.ts'
import { isNarrow, isQueueFull, type Scope } from './scope.ts'

/**
 * All runs that wait for a slot: as many in the queue as its limits allow, the others in an overflow list in order of
 * arrival. No run is rejected: as the queue drains, runs of the overflow list enter it.
 */
export class BoundedQueue {
  readonly #queue = new FairQueue()
  readonly #overflow: Arrivals = []
  readonly #runs = new Map<string, QueuedRun>()
  readonly #narrow = new Map<Scope, Set<QueuedRun>>()
  readonly #cluster: Scope

  /** `cluster` counts all runs. */
  constructor(cluster: Scope) {
    this.#cluster = cluster
  }

  get size(): number {
    return this.#runs.size
  }

  get(key: string): QueuedRun | undefined {
    return this.#runs.get(key)
  }

  add(run: QueuedRun): void {
    this.#runs.set(run.key, run)
    for (const scope of run.slot.scopes) {
      scope.users += 1
      if (!isNarrow(scope)) continue
      const others = this.#narrow.get(scope)
      if (others) others.add(run)
      else this.#narrow.set(scope, new Set([run]))
    }
    if (fullQueue(run)) insertArrival(this.#overflow, run)
    else this.#enter(run)
  }

  remove(key: string): void {
    const run = this.#runs.get(key)
    if (!run) return
    if (this.isOverflow(run)) removeArrival(this.#overflow, run)
    else {
      this.#queue.remove(run)
      this.#left(run)
    }
    this.#forget(run)
  }

  /**
   * Removes the next run that has free capacity. One of the overflow list is taken only if none in the queue can use
   * the slot.
   */
  takeNext(capacity: Capacity): QueuedRun | undefined {
    if (!capacity.isFreeIn(this.#cluster)) return undefined
    const next = this.#queue.takeNext(capacity)
    if (next) {
      this.#left(next)
      this.#forget(next)
      return next
    }
    const other = this.#overflow.find((run) => capacity.isFreeFor(run))
    if (other) this.remove(other.key)
    return other
  }

  isOverflow(run: QueuedRun): boolean {
    return this.#overflow[arrivalIndex(this.#overflow, run)] === run
  }

  rank(run: QueuedRun): Rank {
    if (!this.isOverflow(run)) return this.#queue.rank(run)
    const overall = this.#queue.size + arrivalIndex(this.#overflow, run) + 1
    return { overall, inNamespace: overall, inRepository: overall }
  }

  /** The position of the run among those that wait and count against the same narrow scope. */
  rankIn(scope: Scope, run: QueuedRun): number {
    let rank = 1
    for (const other of this.#narrow.get(scope) ?? []) {
      const { priority } = other
      const isAhead =
        priority === run.priority ? compareArrival(other, run) < 0 : priority > run.priority
      if (isAhead) rank += 1
    }
    return rank
  }

  #enter(run: QueuedRun): void {
    this.#queue.add(run)
    for (const scope of run.slot.scopes) scope.queued += 1
  }

  /** Fills the queue from the overflow list. Only a limit that was reached can have kept a run out of the queue. */
  #left(run: QueuedRun): void {
    const { scopes } = run.slot
    const full = scopes.filter(isQueueFull)
    for (const scope of scopes) scope.queued -= 1
    for (let at = 0; at < this.#overflow.length && !full.every(isQueueFull); ) {
      const other = this.#overflow[at]
      if (other && fullQueue(other) === undefined) {
        this.#overflow.splice(at, 1)
        this.#enter(other)
      } else at += 1
    }
  }

  #forget(run: QueuedRun): void {
    this.#runs.delete(run.key)
    for (const scope of run.slot.scopes) {
      scope.users -= 1
      const others = this.#narrow.get(scope)
      others?.delete(run)
      if (others?.size === 0) this.#narrow.delete(scope)
    }
  }
}

/** The scope whose full queue keeps the run out. */
export function fullQueue({ slot }: QueuedRun): Scope | undefined {
  return slot.scopes.find(isQueueFull)
}
