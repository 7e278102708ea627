const mostBytes = 64 * 1024 * 1024

/** An answer that is being sent. */
export interface UnreadAnswer {
  readonly bytes: number
  /** Ends it in its middle. */
  readonly cut: () => void
}

/**
 * The large answers that clients of HTTP/1 have not read yet. Each is in memory until its last byte is sent. If they
 * are too many together, the one of which nothing was read for the longest time is cut.
 */
export class UnreadAnswers {
  readonly #most: number
  /** The one that was read last is the last. */
  readonly #answers = new Set<UnreadAnswer>()
  #bytes = 0

  constructor(most = mostBytes) {
    this.#most = most
  }

  add(answer: UnreadAnswer): void {
    this.#answers.add(answer)
    this.#bytes += answer.bytes
    for (const other of this.#answers) {
      if (this.#bytes <= this.#most || other === answer) return
      this.remove(other)
      other.cut()
    }
  }

  /** To be called when the client has read some of it. */
  noteRead(answer: UnreadAnswer): void {
    if (this.#answers.delete(answer)) this.#answers.add(answer)
  }

  remove(answer: UnreadAnswer): void {
    if (this.#answers.delete(answer)) this.#bytes -= answer.bytes
  }
}
