import { pauseAfter } from './pause-after.ts'

interface Time {
  /** Milliseconds since some moment. */
  elapsed(): number
  pause(ms: number): Promise<void>
}

const systemTime: Time = {
  elapsed: () => performance.now(),
  pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}

/**
 * Reads again what has changed, one reading after the other, and once more if it changed meanwhile. Many changes in a
 * short time are read together: what takes long is read less often.
 */
export class Refresh {
  readonly #read: (what: string) => Promise<unknown>
  readonly #time: Time
  readonly #running = new Set<string>()
  readonly #changed = new Set<string>()

  constructor(read: (what: string) => Promise<unknown>, time: Time = systemTime) {
    this.#read = read
    this.#time = time
  }

  note(what: string): void {
    this.#changed.add(what)
    if (!this.#running.has(what)) void this.#run(what)
  }

  async #run(what: string): Promise<void> {
    this.#running.add(what)
    while (this.#changed.delete(what)) {
      const began = this.#time.elapsed()
      // What fails is shown where it is read.
      await this.#read(what).catch(() => undefined)
      await this.#time.pause(pauseAfter(this.#time.elapsed() - began, false))
    }
    this.#running.delete(what)
  }
}
