import type { Confirmation } from '@agents/git'

/** Nothing notifies the operator when the obstacle to a file is removed. */
const recheckMs = 60_000

/**
 * Files that could not be written because another file, link or folder is at their path. The status reports them
 * until they are written or no longer selected, because the folder is not in sync without them.
 */
export class BlockedFiles {
  readonly #because = new Map<string, string>()
  #checkedAt = Number.NEGATIVE_INFINITY

  /** Records an attempt to write these files, or the whole folder. Returns whether new files are blocked. */
  tried(paths: Iterable<string> | 'all', refused: Confirmation['refused']): boolean {
    const isNew = refused.some(({ path }) => !this.#because.has(path))
    if (paths === 'all') this.#because.clear()
    else for (const path of paths) this.#because.delete(path)
    for (const { path, because } of refused) this.#because.set(path, describeReason(because))
    // The obstacle may have been removed already: the local copy of the branch may be out of date.
    if (isNew) this.#checkedAt = Number.NEGATIVE_INFINITY
    return isNew
  }

  has(path: string): boolean {
    return this.#because.has(path)
  }

  /**
   * Whether to fetch the branch now, and when to check again; undefined if no file is blocked. Times are in
   * milliseconds of a monotonic clock.
   */
  nextCheck(elapsed: number): { readonly isDue: boolean; readonly again: number } | undefined {
    if (this.#because.size === 0) return undefined
    const isDue = elapsed >= this.#checkedAt + recheckMs
    if (isDue) this.#checkedAt = elapsed
    return { isDue, again: this.#checkedAt + recheckMs }
  }

  get message(): string | undefined {
    const [first] = this.#because
    if (first === undefined) return undefined
    const [path, because] = first
    const { size } = this.#because
    const which = size === 1 ? path : `${size} files, including ${path},`
    return `${which} cannot be written: ${because}; remove the obstacle, and the file is written within a minute`
  }
}

/** Errors of file changes may quote Secrets, so only their names are passed on. */
function describeReason(because: string): string {
  for (const [name, reason] of Object.entries(reasons)) if (because.endsWith(name)) return reason
  return because
}

const reasons = {
  PathTaken: 'the file contains other objects, and a Secret cannot share a file',
  JsonSecret: 'it is JSON, and an encrypted Secret needs a .yaml file',
  NotEditable: 'its YAML cannot be edited in place without losing comments',
  UnreadableList: 'another item of its List cannot be read',
}
