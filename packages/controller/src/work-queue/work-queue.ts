import { type Clock, systemClock } from '@agents/kube'
import { type HeapEntry, IndexedHeap } from './indexed-heap.ts'
import { noQueueMetrics, type QueueMetrics } from './queue-metrics.ts'
import { exponentialLimiter, type RateLimiter } from './rate-limiter.ts'

/** The priority of the initial list and of resyncs. Current events go first. */
export const lowPriority = -100

export interface AddOptions {
  /** Milliseconds from now. Default 0: at once. */
  readonly afterMs?: number
  /** Delayed by the rate limiter; with `afterMs`, by the shorter of both. Counts a failure. */
  readonly rateLimited?: boolean
  /** Higher first. Default 0. */
  readonly priority?: number
}

export interface TakenKey {
  readonly key: string
  readonly priority: number
}

interface WorkQueueOptions {
  readonly clock?: Clock
  readonly rateLimiter?: RateLimiter
  readonly metrics?: QueueMetrics
}

/** `held`: ready, but its key is being processed. `waiting`: not due yet. */
interface Item extends HeapEntry {
  readonly key: string
  priority: number
  /** First in, first out within a priority. */
  order: number
  state: 'ready' | 'held' | 'waiting'
  /** When a waiting item becomes ready, and since when a ready one is. */
  at: number
}

/**
 * A queue of keys, each at most once, and never with two workers at the same time: a key that is added while it is
 * processed becomes ready again after `done`. Adding a queued key keeps the higher priority and the earlier time.
 */
export class WorkQueue {
  readonly #clock: Clock
  readonly #limiter: RateLimiter
  readonly #metrics: QueueMetrics
  readonly #items = new Map<string, Item>()
  readonly #ready = new IndexedHeap<Item>(goesFirst)
  readonly #waiting = new IndexedHeap<Item>((a, b) => a.at < b.at)
  readonly #working = new Map<string, number>()
  readonly #takers: ((taken: TakenKey | undefined) => void)[] = []
  readonly #quiet: (() => void)[] = []
  #mode: 'open' | 'draining' | 'shut' = 'open'
  #counter = 0
  #cancelAlarm: (() => void) | undefined

  constructor(options: WorkQueueOptions = {}) {
    this.#clock = options.clock ?? systemClock
    this.#limiter = options.rateLimiter ?? exponentialLimiter()
    this.#metrics = options.metrics ?? noQueueMetrics
  }

  add(key: string, { afterMs = 0, rateLimited = false, priority = 0 }: AddOptions = {}): void {
    if (this.#mode !== 'open') return
    const wait = rateLimited ? this.#limitedWait(key, afterMs) : afterMs
    if (wait > 0) this.#metrics.retried()
    const item = this.#items.get(key)
    if (item) this.#merge(item, priority, wait)
    else this.#insert(key, priority, wait)
    this.#handOut()
  }

  /**
   * Resolves with the next key, or with undefined after the shutdown. The worker calls `done` with each key that it
   * took.
   */
  take(): Promise<TakenKey | undefined> {
    const taken = this.#pop()
    if (taken) return Promise.resolve(taken)
    if (this.#isOver()) return Promise.resolve(undefined)
    return new Promise((resolve) => this.#takers.push(resolve))
  }

  done(key: string): void {
    const since = this.#working.get(key)
    if (since === undefined) return
    this.#working.delete(key)
    this.#metrics.finished((this.#clock.elapsed() - since) / 1000)
    const item = this.#items.get(key)
    if (item?.state === 'held') {
      item.state = 'ready'
      this.#ready.push(item)
      this.#handOut()
    }
    this.#endIfOver()
  }

  /** Resets the backoff of the key after a success. */
  forget(key: string): void {
    this.#limiter.forget(key)
  }

  failures(key: string): number {
    return this.#limiter.failures(key)
  }

  isWorkingOn(key: string): boolean {
    return this.#working.has(key)
  }

  /** The number of ready keys, including those that wait for `done`. */
  get length(): number {
    return this.#items.size - this.#waiting.size
  }

  get waitingLength(): number {
    return this.#waiting.size
  }

  /** For each key in process, the seconds since it was taken. */
  workInProgress(): number[] {
    const now = this.#clock.elapsed()
    return Array.from(this.#working.values(), (since) => (now - since) / 1000)
  }

  /** Stops the queue at once; resolves when the taken keys are done. */
  shutDown(): Promise<void> {
    this.#close('shut')
    for (const item of this.#items.values()) this.#metrics.taken(item.priority, 0)
    this.#items.clear()
    this.#ready.clear()
    return this.#whenOver()
  }

  /** Accepts no more keys; resolves when all ready keys are done. Delayed keys are dropped. */
  shutDownWithDrain(): Promise<void> {
    if (this.#mode === 'open') this.#close('draining')
    return this.#whenOver()
  }

  #close(mode: 'draining' | 'shut'): void {
    this.#mode = mode
    this.#cancelAlarm?.()
    for (let item = this.#waiting.pop(); item; item = this.#waiting.pop()) {
      this.#items.delete(item.key)
    }
  }

  #whenOver(): Promise<void> {
    return new Promise((resolve) => {
      this.#quiet.push(resolve)
      this.#endIfOver()
    })
  }

  #isOver(): boolean {
    return this.#mode === 'shut' || (this.#mode === 'draining' && this.#items.size === 0)
  }

  #endIfOver(): void {
    if (!this.#isOver()) return
    for (const taker of this.#takers.splice(0)) taker(undefined)
    if (this.#working.size > 0) return
    for (const resolve of this.#quiet.splice(0)) resolve()
  }

  #limitedWait(key: string, afterMs: number): number {
    const limited = this.#limiter.when(key)
    return afterMs > 0 ? Math.min(limited, afterMs) : limited
  }

  #insert(key: string, priority: number, wait: number): void {
    const at = this.#clock.elapsed() + wait
    const item: Item = { key, priority, order: 0, state: 'waiting', at, position: -1 }
    this.#items.set(key, item)
    if (wait > 0) this.#await(item)
    else this.#makeReady(item)
  }

  #merge(item: Item, priority: number, wait: number): void {
    if (priority > item.priority) this.#raise(item, priority)
    if (item.state !== 'waiting') return
    const at = this.#clock.elapsed() + wait
    if (wait > 0 && at >= item.at) return
    this.#waiting.remove(item)
    if (this.#waiting.size === 0) this.#cancelAlarm?.()
    item.at = at
    if (wait > 0) this.#await(item)
    else this.#makeReady(item)
  }

  /** Goes behind the keys that had this priority before. */
  #raise(item: Item, priority: number): void {
    if (item.state !== 'waiting') this.#metrics.reprioritized(item.priority, priority)
    if (item.state === 'ready') this.#ready.remove(item)
    item.priority = priority
    item.order = this.#counter++
    if (item.state === 'ready') this.#ready.push(item)
  }

  #await(item: Item): void {
    this.#waiting.push(item)
    if (this.#waiting.peek() === item) this.#setAlarm()
  }

  /** The order is assigned when a key is due, so that the key that was due first goes first. */
  #makeReady(item: Item): void {
    item.at = this.#clock.elapsed()
    item.order = this.#counter++
    this.#metrics.added(item.priority)
    item.state = this.#working.has(item.key) ? 'held' : 'ready'
    if (item.state === 'ready') this.#ready.push(item)
  }

  #setAlarm(): void {
    this.#cancelAlarm?.()
    const next = this.#waiting.peek()
    if (!next) return
    this.#cancelAlarm = this.#clock.after(next.at - this.#clock.elapsed(), () => this.#ring())
  }

  #ring(): void {
    const now = this.#clock.elapsed()
    for (let item = this.#waiting.peek(); item && item.at <= now; item = this.#waiting.peek()) {
      this.#waiting.remove(item)
      this.#makeReady(item)
    }
    this.#setAlarm()
    this.#handOut()
  }

  #handOut(): void {
    while (this.#takers.length > 0) {
      const taken = this.#pop()
      if (!taken) return
      this.#takers.shift()?.(taken)
    }
  }

  #pop(): TakenKey | undefined {
    const item = this.#ready.pop()
    if (!item) return undefined
    const { key, priority } = item
    const now = this.#clock.elapsed()
    this.#items.delete(key)
    this.#working.set(key, now)
    this.#metrics.taken(priority, (now - item.at) / 1000)
    return { key, priority }
  }
}

function goesFirst(a: Item, b: Item): boolean {
  return a.priority > b.priority || (a.priority === b.priority && a.order < b.order)
}
