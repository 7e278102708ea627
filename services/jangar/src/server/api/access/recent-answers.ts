import type { Clock } from '@agents/controller'
import { ApiError } from '../api-error.ts'

interface RecentAnswersOptions {
  readonly clock: Pick<Clock, 'elapsed'>
  /** How many answers are kept. The least recently used one goes first. */
  readonly capacity: number
  /** How many questions may be open at a time, so that strangers cannot flood the API server. */
  readonly mostOpen: number
}

/** An answer, and how long it may be used again. */
interface Answer<V> {
  readonly value: V
  readonly forMs: number
}

/** Remembers answers for seconds. Equal questions at the same time are asked once. */
export class RecentAnswers<V> {
  readonly #options: RecentAnswersOptions
  readonly #known = new Map<string, { readonly value: V; readonly until: number }>()
  readonly #open = new Map<string, Promise<V>>()

  constructor(options: RecentAnswersOptions) {
    this.#options = options
  }

  async get(key: string, ask: () => Promise<Answer<V>>): Promise<V> {
    const known = this.#known.get(key)
    if (known !== undefined) {
      this.#known.delete(key)
      if (known.until > this.#options.clock.elapsed()) {
        this.#known.set(key, known)
        return known.value
      }
    }
    const open = this.#open.get(key)
    if (open !== undefined) return await open
    if (this.#open.size >= this.#options.mostOpen) {
      throw new ApiError('TooManyRequests', 'too many requests at a time; try again', {
        retryAfterMs: 1000,
      })
    }
    const asked = this.#ask(key, ask)
    this.#open.set(key, asked)
    return await asked
  }

  async #ask(key: string, ask: () => Promise<Answer<V>>): Promise<V> {
    // Time counts from before the question: the answer may be as old.
    const at = this.#options.clock.elapsed()
    try {
      const { value, forMs } = await ask()
      if (forMs > 0) this.#keep(key, value, at + forMs)
      return value
    } finally {
      this.#open.delete(key)
    }
  }

  #keep(key: string, value: V, until: number): void {
    this.#known.delete(key)
    this.#known.set(key, { value, until })
    if (this.#known.size <= this.#options.capacity) return
    const [oldest] = this.#known.keys()
    if (oldest !== undefined) this.#known.delete(oldest)
  }
}
