/**
 * Keys whose work is done one after the other, in the background. A key that is added while it waits is done once; one that is
 * added while its work goes on is done again. Work that fails is tried again, later each time.
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

  /** The earliest time wins when a key is added twice. */
  addAfter(key: string, delayMs: number): void {
    if (this.#stopped || this.#timers.has(key)) return
    // Timers beyond 2^31 ms fire at once, so a longer wait is made of several.
    const step = Math.min(Math.max(delayMs, 0), maxTimerMs)
    const timer = setTimeout(() => {
      this.#timers.delete(key)
      if (delayMs > step) this.addAfter(key, delayMs - step)
      else this.add(key)
    }, step)
    timer.unref()
    this.#timers.set(key, timer)
  }

  /** Resolves when the work under way is done; nothing is begun after it. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#waiting.clear()
    for (const timer of this.#timers.values()) clearTimeout(timer)
    await this.#running
  }

  /** Resolves when nothing waits and nothing is under way; retries that are due later are not waited for. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running
  }

  async #run(): Promise<void> {
    // Requests come first: the work starts in a later turn and gives way after each key.
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
