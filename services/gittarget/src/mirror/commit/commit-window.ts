export interface WindowSettings {
  /** How long nothing must change before a commit. */
  readonly commitWindowMs: number
  /** How long the first change waits at most. */
  readonly maxWindowMs: number
}

/** Decides when pending changes are committed. Each change restarts the wait, up to a limit. */
export class CommitWindow {
  #first: number | undefined
  #last = 0

  /** When the first pending change was recorded; undefined if none is pending. */
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
