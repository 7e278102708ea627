/**
 * Processes keys one after the other in the background. A key that is added while it is queued is processed once; a key
 * that is added while it is being processed is processed again. Failures are retried with backoff.
 */
export class RetryQueue {
  readonly #work: (key: string) => Promise<void>
  readonly #onError: (key: string, error: unknown) => void
  readonly #waiting = new Set<string>()
  readonly #timers = new Map<string, NodeJS.Timeout>()
  readonly #failures = new Map<string, number>()
  #running: Promise<void> | undefined
  #stopped = false

  constructor(
    work: (key: string) => Promise<void>,
    onError: (key: string, error: unknown) => void,
  ) {
    this.#work = work
    this.#onError = onError
  }

  add(key: string): void {
    if (this.#stopped) return
    this.#waiting.add(key)
    this.#running ??= this.#run()
  }

  /** If a key is added twice, the earlier time counts. */
  addAfter(key: string, delayMs: number): void {
    if (this.#stopped || this.#timers.has(key)) return
    // Timers above 2^31 ms fire immediately, so longer delays use several.
    const step = Math.min(Math.max(delayMs, 0), maxTimerMs)
    const timer = setTimeout(() => {
      this.#timers.delete(key)
      if (delayMs > step) this.addAfter(key, delayMs - step)
      else this.add(key)
    }, step)
    timer.unref()
    this.#timers.set(key, timer)
  }

  /** Starts no further work, and resolves when the current work is done. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#waiting.clear()
    for (const timer of this.#timers.values()) clearTimeout(timer)
    await this.#running
  }

  /** Resolves when the queue is idle. Does not wait for delayed retries. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running
  }

  async #run(): Promise<void> {
    // Requests have priority: the work starts in a later turn of the event loop and yields after each key.
    await nextTurn()
    for (const key of this.#waiting) {
      this.#waiting.delete(key)
      try {
        await this.#work(key)
        this.#failures.delete(key)
      } catch (error) {
        this.#onError(key, error)
        this.#retry(key)
      }
      await nextTurn()
    }
    this.#running = undefined
  }

  #retry(key: string): void {
    const failures = (this.#failures.get(key) ?? 0) + 1
    this.#failures.set(key, failures)
    this.addAfter(key, Math.min(firstRetryMs * 2 ** (failures - 1), lastRetryMs))
  }
}

const maxTimerMs = 2 ** 31 - 1
const firstRetryMs = 20
const lastRetryMs = 30_000

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
