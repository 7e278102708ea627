import type { Confirmation } from '@agents/git'

/** Git tells nobody when what was in the way of a file is gone. */
const LOOK_AGAIN_MS = 60_000

/**
 * Files that could not be written because something of somebody else's is in the way. They are told until they are written or no
 * longer wanted: a folder that lacks them does not agree with the cluster.
 */
export class LeftOut {
  readonly #because = new Map<string, string>()
  #lookedAt = Number.NEGATIVE_INFINITY

  /** What came of an attempt to write these files, or the whole folder. Whether others are left out than before. */
  tried(paths: Iterable<string> | 'all', refused: Confirmation['refused']): boolean {
    const isNew = refused.some(({ path }) => !this.#because.has(path))
    if (paths === 'all') this.#because.clear()
    else for (const path of paths) this.#because.delete(path)
    for (const { path, because } of refused) this.#because.set(path, inWords(because))
    // What is in the way may be gone already: the branch is as it was seen last.
    if (isNew) this.#lookedAt = Number.NEGATIVE_INFINITY
    return isNew
  }

  has(path: string): boolean {
    return this.#because.has(path)
  }

  /** Whether to look at the branch now, and when again; undefined while nothing is left out. In milliseconds of a clock that only runs. */
  nextLook(elapsed: number): { readonly isDue: boolean; readonly again: number } | undefined {
    if (this.#because.size === 0) return undefined
    const isDue = elapsed >= this.#lookedAt + LOOK_AGAIN_MS
    if (isDue) this.#lookedAt = elapsed
    return { isDue, again: this.#lookedAt + LOOK_AGAIN_MS }
  }

  get message(): string | undefined {
    const [first] = this.#because
    if (first === undefined) return undefined
    const [path, because] = first
    const { size } = this.#because
    const which = size === 1 ? path : `${size} files, among them ${path},`
    return `${which} cannot be written: ${because}; move away what is in the way, and it is written within a minute`
  }
}

/** What makes a file may quote Secrets in its errors, so only their names get here. */
const inWords = (because: string): string =>
  because.endsWith('PathTaken')
    ? 'the file holds something else, and a Secret cannot share one'
    : because
