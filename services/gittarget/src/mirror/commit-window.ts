export interface WindowSettings {
  /** Of silence, before what changed is committed. */
  readonly commitWindowMs: number
  /** For the first change to wait at most. */
  readonly maxWindowMs: number
}

/** When what has changed is due. Each change starts the silence anew, up to a limit. */
export class CommitWindow {
  #first: number | undefined
  #last = 0

  /** When the first change was noted that waits; undefined where none does. */
  get openedAt(): number | undefined {
    return this.#first
  }

  note(at: number): void {
    this.#first ??= at
    this.#last = at
  }

  close(): void {
    this.#first = undefined
  }

  dueAt({ commitWindowMs, maxWindowMs }: WindowSettings): number {
    if (this.#first === undefined) return Number.NEGATIVE_INFINITY
    return Math.min(this.#last + commitWindowMs, this.#first + maxWindowMs)
  }
}
