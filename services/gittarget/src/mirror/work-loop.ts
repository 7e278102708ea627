import type { Clock } from '@agents/controller'

interface WorkLoopOptions {
  readonly clock: Clock
  /** Performs the work that is due, if any. Calls `kick` or `wakeAt` if there is more to do. */
  step(): Promise<void>
  /**
   * Called with the error of a step, and whether the previous step succeeded. Returns whether to wait before the next
   * attempt.
   */
  failed(error: unknown, isFirst: boolean): 'wait' | 'at once'
}

const retryMs = { first: 1_000, most: 60_000 }

/** Runs steps one after the other while there is work, never two at once, with a backoff while they fail. */
export class WorkLoop {
  readonly #options: WorkLoopOptions
  #running: Promise<void> | undefined
  #again = false
  #stopped = false
  #failures = 0
  #retryAt = Number.NEGATIVE_INFINITY
  #cancelTimer = (): void => undefined

  constructor(options: WorkLoopOptions) {
    this.#options = options
  }

  /** To be called if there may be work. */
  kick(): void {
    if (this.#stopped) return
    this.#again = true
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
      // `kick` may have been called after the last check.
      if (this.#again) this.kick()
    })
  }

  /** To be called if there is work that need not wait for the backoff. */
  kickNow(): void {
    this.#retryAt = Number.NEGATIVE_INFINITY
    this.kick()
  }

  /** To be called if a step succeeded: resets the backoff and checks for more work. */
  progressed(): void {
    this.#failures = 0
    this.kick()
  }

  /** `time` is in the clock's `elapsed` milliseconds. */
  wakeAt(time: number): void {
    const { clock } = this.#options
    this.#cancelTimer()
    this.#cancelTimer = clock.after(time - clock.elapsed(), () => this.kick())
  }

  /** Resolves when there is no more work, or after the time. */
  async settle(timeMs: number): Promise<void> {
    let cancel = (): void => undefined
    const late = new Promise<void>((resolve) => {
      cancel = this.#options.clock.after(timeMs, resolve)
    })
    await Promise.race([this.#running ?? Promise.resolve(), late])
    cancel()
  }

  /** Does not wait for a running step. */
  stop(): void {
    this.#stopped = true
    this.#again = false
    this.#cancelTimer()
  }

  async #run(): Promise<void> {
    const { clock, step } = this.#options
    while (this.#again && !this.#stopped) {
      this.#again = false
      this.#cancelTimer()
      if (clock.elapsed() < this.#retryAt) {
        this.wakeAt(this.#retryAt)
        continue
      }
      try {
        await step()
      } catch (error) {
        this.#failed(error)
      }
    }
  }

  #failed(error: unknown): void {
    if (this.#stopped) return
    const { clock, failed } = this.#options
    if (failed(error, this.#failures === 0) === 'wait') {
      this.#failures += 1
      const wait = Math.min(retryMs.most, retryMs.first * 2 ** (this.#failures - 1))
      this.#retryAt = clock.elapsed() + wait
    }
    this.kick()
  }
}
