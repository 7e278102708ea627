import { type BranchWorker, type ChangeSet, type Confirmation, objectId } from '@agents/git'
import type { BranchWriters, Writer, WriterListener } from '../mirror/branch/branch-writers.ts'

/** A branch in memory, with the workers of one provider. Each list finds what others pushed, as a new worker does. */
export class MemoryBranch {
  readonly files = new Map<string, string>()
  /** Paths that the mirrors have written, in order. */
  readonly written: string[] = []
  /** Thrown by `acquire` while it is set. */
  refusal: Error | undefined
  /** Thrown by `list` while it is set. */
  outage: Error | undefined
  readonly #listeners = new Set<WriterListener>()
  #commits = 0
  #seen: number | undefined
  #foreignChanges = 0

  get commit(): string {
    return `c${this.#commits}`
  }

  /** Somebody commits a file. */
  push(path: string, text: string): void {
    this.files.set(path, text)
    this.#commits += 1
  }

  replaceWorker(): void {
    for (const listener of [...this.#listeners]) listener.onReplaced()
  }

  get writers(): BranchWriters {
    const acquire = async (_settings: unknown, listener: WriterListener): Promise<Writer> => {
      if (this.refusal !== undefined) throw this.refusal
      this.#listeners.add(listener)
      const foreignChanges = (): number => this.#foreignChanges
      return {
        name: 'repository#main',
        uid: async () => 'uid',
        get foreignChanges() {
          return foreignChanges()
        },
        worker: async () => this.#worker,
        update: async () => undefined,
        release: async () => void this.#listeners.delete(listener),
      }
    }
    return { acquire } as unknown as BranchWriters
  }

  get #worker(): BranchWorker {
    return {
      list: async (folder: string) => {
        if (this.outage !== undefined) throw this.outage
        this.#look()
        const own = [...this.files].filter(([path]) => path.startsWith(`${folder}/`))
        const files = new Map(own.map(([path, text]) => [path, fileOf(text)]))
        return { commit: this.commit, files }
      },
      sizes: async () => this.#byOid((text) => bytes(text).length),
      read: async () => this.#byOid(bytes),
      apply: (set: ChangeSet) => this.#apply(set),
      retryNow: () => undefined,
      refresh: async () => this.#look(),
      state: { lastError: undefined },
    } as unknown as BranchWorker
  }

  #byOid<T>(of: (text: string) => T): Map<string, T> {
    return new Map([...this.files.values()].map((text) => [oidOf(text), of(text)]))
  }

  #look(): void {
    const hasMoved = this.#seen !== undefined && this.#seen !== this.#commits
    this.#seen = this.#commits
    if (!hasMoved) return
    this.#foreignChanges += 1
    for (const listener of [...this.#listeners]) listener.onForeignChange()
  }

  async #apply({ changes }: ChangeSet): Promise<Confirmation> {
    this.#look()
    const changed: string[] = []
    for (const [path, change] of changes) {
      const before = this.files.get(path)
      const given = change !== null && 'from' in change ? change.from : change
      const after =
        typeof given === 'function'
          ? await given(before === undefined ? undefined : bytes(before))
          : given
      const text = after?.toString()
      if (text === before) continue
      changed.push(path)
      if (text === undefined) this.files.delete(path)
      else this.files.set(path, text)
    }
    if (changed.length > 0) this.#commits += 1
    this.#seen = this.#commits
    this.written.push(...changed)
    return { commit: this.commit, written: changed.length > 0, changed, refused: [] }
  }
}

function bytes(text: string): Buffer {
  return Buffer.from(text)
}

function oidOf(text: string): string {
  return objectId('blob', bytes(text))
}

function fileOf(text: string) {
  return { kind: 'file', oid: oidOf(text) } as const
}
