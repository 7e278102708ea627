import { pauseAfter } from './pause-after.ts'

/**
 * Reads again what has changed, one reading after the other, and once more if it changed meanwhile. Many changes in a
 * short time are read together: what takes long is read less often.
 */
export class Refresh {
  readonly #read: (what: string) => Promise<unknown>
  readonly #running = new Set<string>()
  readonly #changed = new Set<string>()

  constructor(read: (what: string) => Promise<unknown>) {
    this.#read = read
  }

  note(what: string): void {
    this.#changed.add(what)
    if (!this.#running.has(what)) void this.#run(what)
  }

  async #run(what: string): Promise<void> {
    this.#running.add(what)
    while (this.#changed.delete(what)) {
      const began = performance.now()
      // What fails is shown where it is read.
      await this.#read(what).catch(() => undefined)
      const pauseMs = pauseAfter(performance.now() - began, false)
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
    this.#running.delete(what)
  }
}
