interface Remembered {
  readonly etag: string
  readonly body: unknown
  readonly link: string | null
}

/**
 * The last responses with an ETag. A request that is repeated with it costs nothing of the rate limit if nothing has
 * changed.
 */
export class ResponseMemory {
  readonly #entries = new Map<string, Remembered>()
  readonly #most: number

  constructor(most = 1000) {
    this.#most = most
  }

  get(key: string): Remembered | undefined {
    const found = this.#entries.get(key)
    if (found === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, found)
    return found
  }

  set(key: string, response: Remembered): void {
    this.#entries.delete(key)
    this.#entries.set(key, response)
    if (this.#entries.size <= this.#most) return
    const [oldest = ''] = this.#entries.keys()
    this.#entries.delete(oldest)
  }
}
