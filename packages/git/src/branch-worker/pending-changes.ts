import type { Identity } from '../commit/commit-object.ts'
import type { ChangeSet, Confirmation, FileChange } from './change-set.ts'

/** Change sets that became one commit-to-be, and everybody who waits for it. */
export interface PendingCommit {
  readonly owner: string
  readonly author: Identity | undefined
  readonly changes: Map<string, FileChange>
  message: ChangeSet['message']
  readonly waiting: Waiting[]
}

interface Waiting {
  resolve(confirmation: Confirmation): void
  reject(error: Error): void
}

/** What was asked for and is not in the repository yet. Its size follows the number of paths, not of changes. */
export class PendingChanges {
  #commits: PendingCommit[] = []
  #taken: PendingCommit[] = []

  get size(): number {
    const paths = new Set<string>()
    for (const { changes } of [...this.#taken, ...this.#commits]) {
      for (const path of changes.keys()) paths.add(path)
    }
    return paths.size
  }

  get isEmpty(): boolean {
    return this.#commits.length === 0
  }

  add(set: ChangeSet, waiting: Waiting): void {
    const last = this.#commits.findLast((commit) => shares(commit, set))
    if (last !== undefined && !this.#touchedSince(last, set)) {
      merge(last, set, [waiting])
      return
    }
    const { owner, author, changes, message } = set
    this.#commits.push({ owner, author, changes: new Map(changes), message, waiting: [waiting] })
  }

  /** Hands over everything that waits, to be settled or put back. */
  take(): readonly PendingCommit[] {
    this.#taken = this.#commits
    this.#commits = []
    return this.#taken
  }

  /** What was taken could not be pushed. What came meanwhile is newer, and wins. */
  putBack(): void {
    const newer = this.#commits
    this.#commits = this.#taken
    this.#taken = []
    for (const commit of newer) {
      const last = this.#commits.findLast((older) => shares(older, commit))
      if (last !== undefined && !this.#touchedSince(last, commit))
        merge(last, commit, commit.waiting)
      else this.#commits.push(commit)
    }
  }

  settle(): void {
    this.#taken = []
  }

  rejectAll(error: Error): void {
    const all = [...this.#taken, ...this.#commits]
    this.#taken = []
    this.#commits = []
    for (const { waiting } of all) for (const { reject } of waiting) reject(error)
  }

  /**
   * Whether a later commit of another owner contains one of these paths: joining the earlier commit would reverse their
   * order.
   */
  #touchedSince(commit: PendingCommit, { changes }: Pick<ChangeSet, 'changes'>): boolean {
    const later = this.#commits.slice(this.#commits.indexOf(commit) + 1)
    return later.some((other) => [...changes.keys()].some((path) => other.changes.has(path)))
  }
}

function shares(
  commit: PendingCommit,
  { owner, author }: Pick<ChangeSet, 'owner'> & { author?: Identity | undefined },
): boolean {
  return (
    commit.owner === owner &&
    commit.author?.name === author?.name &&
    commit.author?.email === author?.email
  )
}

function merge(
  into: PendingCommit,
  { changes, message }: Pick<ChangeSet, 'changes' | 'message'>,
  waiting: readonly Waiting[],
): void {
  for (const [path, change] of changes) into.changes.set(path, change)
  into.message = message
  into.waiting.push(...waiting)
}
