/** Lets work about the same thing be done one after the other, in the order in which it was asked for. */
export class Turns {
  /** By the thing, the end of the last work that was asked for. */
  readonly #ends = new Map<string, Promise<void>>()

  async take<T>(thing: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const before = this.#ends.get(thing) ?? Promise.resolve()
    const own = Promise.withResolvers<void>()
    // Whoever does not wait any longer does not let the next one overtake those before.
    const end = before.then(() => own.promise)
    this.#ends.set(thing, end)
    void end.then(() => {
      if (this.#ends.get(thing) === end) this.#ends.delete(thing)
    })
    try {
      await orAborted(before, signal)
      return await work()
    } finally {
      own.resolve()
    }
  }

  /** How many things are being worked on. */
  get size(): number {
    return this.#ends.size
  }
}

async function orAborted(turn: Promise<void>, signal: AbortSignal): Promise<void> {
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort)
  try {
    await Promise.race([turn, aborted.promise])
    signal.throwIfAborted()
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
