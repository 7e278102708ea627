import type { Clock } from '@agents/controller'

export interface WorkLoopOptions {
  readonly clock: Clock
  /** Does what is due, if anything is; asks for the loop's attention again where it did, or will have, more to do. */
  step(): Promise<void>
  /** Told what a step threw, and whether the one before had gone well. Whether to wait before the next try. */
  failed(error: unknown, isFirst: boolean): 'wait' | 'at once'
}

const RETRY_MS = { first: 1_000, most: 60_000 }

/** Takes one step after the other while there is reason to, never two at once, and slows down while they fail. */
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

  /** There may be something to do. */
  kick(): void {
    if (this.#stopped) return
    this.#again = true
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
      // Somebody may have called after the last look.
      if (this.#again) this.kick()
    })
  }

  /** There is something to do that need not wait for what failed before. */
  kickNow(): void {
    this.#retryAt = Number.NEGATIVE_INFINITY
    this.kick()
  }

  /** A step has done something: what failed before is over, and there may be more to do. */
  progressed(): void {
    this.#failures = 0
    this.kick()
  }

  /** By the clock's `elapsed`. */
  wakeAt(time: number): void {
    const { clock } = this.#options
    this.#cancelTimer()
    this.#cancelTimer = clock.after(time - clock.elapsed(), () => this.kick())
  }

  /** Until there is nothing more to do now, or the time is over. */
  async settle(timeMs: number): Promise<void> {
    let cancel = (): void => undefined
    const late = new Promise<void>((resolve) => {
      cancel = this.#options.clock.after(timeMs, resolve)
    })
    await Promise.race([this.#running ?? Promise.resolve(), late])
    cancel()
  }

  /** A step that is under way is not waited for. */
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
      const wait = Math.min(RETRY_MS.most, RETRY_MS.first * 2 ** (this.#failures - 1))
      this.#retryAt = clock.elapsed() + wait
    }
    this.kick()
  }
}
