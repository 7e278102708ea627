interface Remembered {
  readonly etag: string
  readonly body: unknown
  readonly link: string | null
  /** Of the text. */
  readonly size: number
}

/**
 * The last responses with an ETag. A request that is repeated with it costs nothing of the rate limit if nothing has
 * changed.
 */
export class ResponseMemory {
  readonly #entries = new Map<string, Remembered>()
  readonly #most: number
  readonly #mostBytes: number
  #bytes = 0

  /** The limit of bytes is that of the texts: whoever chooses the service must not fill the memory of the process. */
  constructor(most = 1000, mostBytes = 16 * 1024 * 1024) {
    this.#most = most
    this.#mostBytes = mostBytes
  }

  get(key: string): Remembered | undefined {
    const found = this.#entries.get(key)
    if (found === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, found)
    return found
  }

  set(key: string, response: Remembered): void {
    this.#forget(key)
    this.#entries.set(key, response)
    this.#bytes += response.size
    while (this.#entries.size > this.#most || this.#bytes > this.#mostBytes) {
      const [oldest = ''] = this.#entries.keys()
      this.#forget(oldest)
    }
  }

  #forget(key: string): void {
    this.#bytes -= this.#entries.get(key)?.size ?? 0
    this.#entries.delete(key)
  }
}
