import { GitError } from '../git-error.ts'
import type { ObjectKeeper } from '../object-writer/new-objects.ts'
import { blobSizes } from './blob-sizes.ts'
import {
  type BranchReader,
  type BuiltCommits,
  emptyPosition,
  type Position,
} from './build-commits.ts'
import type { LocalRepository } from './local-repository.ts'

/** What a branch that does not exist starts from. */
export type NewBranchStart = 'default-branch' | 'nothing'

/** A local copy together with what is known of the branch on the server. */
export class BranchSession {
  readonly #repository: LocalRepository
  readonly #start: NewBranchStart
  readonly #signal: AbortSignal
  #base: Position | undefined
  /** Where the branch was seen or put last; undefined: there is none. Only true while `#base` is known. */
  #tip: string | undefined
  /** A push whose outcome may be unknown. */
  #attempted: string | undefined

  constructor(repository: LocalRepository, start: NewBranchStart, signal: AbortSignal) {
    this.#repository = repository
    this.#start = start
    this.#signal = signal
  }

  get tip(): string | undefined {
    return this.#tip
  }

  /** What was written to this copy and stays in it. */
  get keptBytes(): number {
    return this.#repository.store.keptBytes
  }

  get attempted(): string | undefined {
    return this.#attempted
  }

  readonly reader: BranchReader = {
    readTree: (oid) => this.#repository.store.readTree(oid),
    readBlobs: (oids) => this.#readBlobs(oids),
    blobSizes: (oids) => blobSizes(this.#repository, oids, this.#signal),
  }

  get keeper(): ObjectKeeper {
    return this.#repository.store
  }

  /** Where the next commit goes; asks the server when that is not known. */
  async base(): Promise<Position> {
    this.#base ??= await this.#synchronize()
    return this.#base
  }

  /** Makes the next read ask the server, because the branch may have changed. */
  forgetBase(): void {
    this.#base = undefined
  }

  /** Whether the branch on the server still is where it was seen last. */
  async isCurrent(): Promise<boolean> {
    const { branch } = await this.#repository.remote.tips(this.#signal)
    return this.#base !== undefined && branch === this.#tip
  }

  async push({ head, objects }: BuiltCommits): Promise<void> {
    const { commit } = head
    if (commit === undefined || commit === this.#tip) return
    const { remote } = this.#repository
    await objects.flush()
    this.#attempted = commit
    await remote.push(commit, this.#tip, this.#signal)
    this.#tip = commit
    this.#base = head
  }

  close(): Promise<void> {
    return this.#repository.close()
  }

  async #synchronize(): Promise<Position> {
    const { remote } = this.#repository
    const { branch, defaultBranch } = await remote.tips(this.#signal)
    if (branch !== undefined) {
      // What was fetched counts, not what was listed a moment before.
      const commit =
        branch === this.#attempted ? branch : await remote.fetch(remote.ref, this.#signal)
      this.#tip = commit
      return this.#at(commit)
    }
    this.#tip = undefined
    if (defaultBranch === undefined || this.#start === 'nothing') return emptyPosition
    return this.#at(await remote.fetch(defaultBranch.ref, this.#signal))
  }

  async #at(commit: string): Promise<Position> {
    return { commit, tree: await this.#repository.store.treeOf(commit) }
  }

  async #readBlobs(oids: readonly string[]): Promise<Map<string, Buffer>> {
    const { store, remote } = this.#repository
    const found = new Map<string, Buffer>()
    const readAll = async (wanted: readonly string[]): Promise<string[]> => {
      const missing: string[] = []
      await Promise.all(
        wanted.map(async (oid) => {
          const data = await store.readBlob(oid)
          if (data === undefined) missing.push(oid)
          else found.set(oid, data)
        }),
      )
      return missing
    }
    const missing = await readAll(oids)
    if (missing.length === 0) return found
    await remote.fetchBlobs(missing, this.#signal)
    const [lost] = await readAll(missing)
    if (lost !== undefined) throw new GitError('local', `the contents of ${lost} are missing`)
    return found
  }
}
