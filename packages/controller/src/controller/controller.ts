import { randomUUID } from 'node:crypto'
import {
  type Clock,
  formatKey,
  type KindRef,
  type KubeObject,
  parseKey,
  sleep,
  systemClock,
} from '@agents/kube'
import type { Logger } from '@agents/log'
import { whenAborted } from '../abort/when-aborted.ts'
import { OwnWrites } from '../objects/own-writes.ts'
import { ReconcileTimeout } from '../reconcile/reconcile-timeout.ts'
import type { ChangeSource, Subscription } from '../sources/informer.ts'
import type { Predicate } from '../sources/predicate.ts'
import { isResync, type Source } from '../sources/source.ts'
import type { RateLimiter } from '../work-queue/rate-limiter.ts'
import { lowPriority, type TakenKey, WorkQueue } from '../work-queue/work-queue.ts'
import { type ControllerMetrics, noControllerMetrics } from './controller-metrics.ts'
import { EchoFilter } from './echo-filter.ts'
import type { Reconcile, ReconcileResult } from './reconcile-function.ts'
import { TerminalError } from './terminal-error.ts'

export interface ControllerOptions<T extends KubeObject> {
  /** For metrics and messages. Default: the kind in lower case. */
  readonly name?: string
  readonly kind: Pick<KindRef<T>, 'group' | 'kind'>
  readonly primary: ChangeSource<T>
  /** Which changes of the object trigger a reconcile. Default: all except the events of own writes. */
  readonly predicate?: Predicate<T>
  readonly sources?: readonly Source[]
  readonly reconcile: Reconcile<T>
  /** Called when an object was deleted. */
  readonly gone?: (key: string) => void
  readonly log: Logger
  /** Concurrent reconciles. Default 1. */
  readonly workers?: number
  /** The timeout of one reconcile. Default 60 s. */
  readonly timeoutMs?: number
  /** The timeout for all sources to sync. Default 2 min. */
  readonly syncTimeoutMs?: number
  /** How long running reconciles may take when the controller stops. Default 20 s. */
  readonly drainMs?: number
  readonly clock?: Clock
  readonly rateLimiter?: RateLimiter
  readonly metrics?: ControllerMetrics
}

/**
 * Reconciles the objects of one kind when they or their sources change. An object is never reconciled twice at the same
 * time.
 */
export class Controller<T extends KubeObject = KubeObject> {
  readonly name: string
  readonly queue: WorkQueue
  /** The cache, never older than what was written through this controller. */
  readonly objects: OwnWrites<T>
  readonly #options: ControllerOptions<T>
  readonly #clock: Clock
  readonly #metrics: ControllerMetrics
  readonly #echo = new EchoFilter()
  readonly #subscriptions = new Map<string, Subscription>()
  readonly #passes = new Set<AbortController>()
  readonly #sources: Source[]
  #started = false

  constructor(options: ControllerOptions<T>) {
    this.#options = options
    this.name = options.name ?? options.kind.kind.toLowerCase()
    this.#clock = options.clock ?? systemClock
    this.#metrics = options.metrics ?? noControllerMetrics
    const { rateLimiter } = options
    this.queue = new WorkQueue({
      clock: this.#clock,
      metrics: this.#metrics.queue,
      ...(rateLimiter && { rateLimiter }),
    })
    this.objects = new OwnWrites(options.primary)
    this.#sources = [this.#primarySource(), ...(options.sources ?? [])]
  }

  /** Adds a source; also while the controller runs. */
  addSource(source: Source): void {
    this.#sources.push(source)
    if (this.#started) this.#subscribe(source)
  }

  hasSynced(): boolean {
    return this.#started && [...this.#subscriptions.values()].every((one) => one.hasSynced())
  }

  /**
   * Runs until the signal is aborted; resolves when running reconciles are done. Rejects if a source does not sync in
   * time.
   */
  async run(signal: AbortSignal): Promise<void> {
    this.#started = true
    for (const source of this.#sources) this.#subscribe(source)
    try {
      await this.#synced(signal)
      if (signal.aborted) return
      const { workers = 1 } = this.#options
      const pool = Array.from({ length: workers }, () => this.#work())
      await whenAborted(signal)
      await this.#drain()
      await Promise.all(pool)
    } finally {
      for (const subscription of this.#subscriptions.values()) subscription.remove()
      await this.queue.shutDown()
    }
  }

  #primarySource(): Source {
    const { primary, predicate = {}, gone } = this.#options
    return {
      name: 'primary',
      start: (enqueue) =>
        primary.subscribe({
          onAdd: (object, isInInitialList) => {
            if (predicate.add?.(object) === false) return
            enqueue(formatKey(object.metadata), { priority: isInInitialList ? lowPriority : 0 })
          },
          onUpdate: (before, after) => {
            const key = formatKey(after.metadata)
            // The read drops the remembered copy once the cache has it, also for objects that are never reconciled
            // again.
            this.objects.get(key)
            if (predicate.update?.(before, after) === false) return
            if (isResync(before, after)) enqueue(key, { priority: lowPriority })
            else if (this.#echo.isNews(key, after.metadata.resourceVersion ?? '')) enqueue(key)
          },
          onDelete: (object) => {
            const key = formatKey(object.metadata)
            this.#echo.forget(key)
            this.objects.forget(key)
            gone?.(key)
            if (predicate.delete?.(object) !== false) enqueue(key)
          },
        }),
    }
  }

  #subscribe(source: Source): void {
    if (this.#subscriptions.has(source.name)) {
      throw new TypeError(`${this.name} has two sources named ${source.name}`)
    }
    const subscription = source.start((key, options) => this.queue.add(key, options))
    this.#subscriptions.set(source.name, subscription)
  }

  async #synced(signal: AbortSignal): Promise<void> {
    const { syncTimeoutMs = 120_000 } = this.#options
    const deadline = this.#clock.elapsed() + syncTimeoutMs
    while (!signal.aborted && !this.hasSynced()) {
      if (this.#clock.elapsed() >= deadline) {
        const late = [...this.#subscriptions].filter(([, one]) => !one.hasSynced())
        const names = late.map(([name]) => name).join(', ')
        throw new Error(
          `${this.name}: ${names} not synced within ${syncTimeoutMs / 1000} s; ` +
            'check that the kind is installed and that RBAC allows watching it',
        )
      }
      await sleep(this.#clock, syncPollMs, signal)
    }
  }

  async #drain(): Promise<void> {
    const { drainMs = 20_000 } = this.#options
    const cancel = this.#clock.after(drainMs, () => {
      for (const pass of this.#passes) pass.abort(new Error('the controller is stopping'))
    })
    await this.queue.shutDown()
    cancel()
  }

  async #work(): Promise<void> {
    let breath = this.#clock.elapsed()
    for (let taken = await this.queue.take(); taken; taken = await this.queue.take()) {
      await this.#process(taken)
      // Reconciles that never await anything would block the event loop.
      if (this.#clock.elapsed() - breath < longestHoldMs) continue
      await new Promise((resolve) => setImmediate(resolve))
      breath = this.#clock.elapsed()
    }
  }

  async #process(taken: TakenKey): Promise<void> {
    const { key } = taken
    this.#metrics.workersActive(1)
    this.#echo.beginPass(key)
    const start = this.#clock.elapsed()
    const outcome = await this.#reconcile(taken)
    this.#metrics.reconciled(outcome, (this.#clock.elapsed() - start) / 1000)
    if (this.#echo.endPass(key)) this.queue.add(key)
    this.queue.done(key)
    this.#metrics.workersActive(-1)
  }

  /** Reconciles once, and requeues the key if needed. */
  async #reconcile({ key, priority }: TakenKey) {
    const object = this.objects.get(key)
    if (!object) {
      this.queue.forget(key)
      return 'success'
    }
    try {
      const result = await this.#pass(key, object)
      return this.#requeue(key, result, result.priority ?? priority)
    } catch (error) {
      this.#failed(key, object, error, priority)
      return 'error'
    }
  }

  #requeue(key: string, { tryAgain = false, recheckAfterMs }: ReconcileResult, priority: number) {
    if (tryAgain) {
      this.queue.add(key, { rateLimited: true, priority })
      return 'requeue'
    }
    this.queue.forget(key)
    if (recheckAfterMs === undefined || recheckAfterMs === Number.POSITIVE_INFINITY)
      return 'success'
    this.queue.add(key, { afterMs: recheckAfterMs, priority })
    return 'requeue_after'
  }

  async #pass(key: string, object: T): Promise<ReconcileResult> {
    const { timeoutMs = 60_000, reconcile } = this.#options
    const control = new AbortController()
    const cancel = this.#clock.after(timeoutMs, () => {
      this.#metrics.timedOut()
      control.abort(new ReconcileTimeout(timeoutMs))
    })
    this.#passes.add(control)
    let log: Logger | undefined
    const logged = (): Logger => {
      log ??= this.#options.log.with(this.#logFields(object))
      return log
    }
    try {
      return await reconcile(object, {
        key: parseKey(key),
        now: this.#clock.now(),
        signal: control.signal,
        // Created on first use: most reconciles log nothing.
        get log() {
          return logged()
        },
        remember: (written) => {
          this.#echo.wrote(key, written.metadata.resourceVersion ?? '')
          this.objects.remember(written)
        },
      })
    } finally {
      cancel()
      this.#passes.delete(control)
    }
  }

  #failed(key: string, object: T, error: unknown, priority: number): void {
    const log = this.#options.log.with(this.#logFields(object))
    if (isProgramError(error)) this.#metrics.panicked()
    if (error instanceof TerminalError) {
      this.#metrics.terminalError()
      this.queue.forget(key)
      log.error('reconcile failed permanently', { error })
      return
    }
    this.queue.add(key, { rateLimited: true, priority })
    log.error('reconcile failed', { error, failures: this.queue.failures(key) })
  }

  #logFields({ metadata }: T) {
    const { namespace, name, generation } = metadata
    const { group, kind } = this.#options.kind
    return {
      controller: this.name,
      group,
      kind,
      ...(namespace !== undefined && { namespace }),
      name,
      generation,
      reconcileID: randomUUID(),
    }
  }
}

const syncPollMs = 10
const longestHoldMs = 10

/** `fetch` throws a TypeError for network failures, but with a cause. */
function isProgramError(error: unknown): boolean {
  const isBug =
    error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError
  return isBug && error.cause === undefined
}
