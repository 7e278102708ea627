import type { Git } from '../git-process/git.ts'
import { GitError } from '../git-process/git-error.ts'
import { BatchReader } from './batch-reader.ts'
import { EMPTY_TREE, type GitObject } from './git-object.ts'
import { packfile } from './packfile.ts'

/** As in Git's own `receive.unpackLimit`: below it single files are cheaper than one more pack. */
const UNPACK_LIMIT = 100

const CACHED_TREE_BYTES = 16 * 1024 * 1024

/** The objects of one bare repository. */
export class ObjectStore {
  readonly #git: Git
  readonly #reader: BatchReader
  readonly #timeoutMs: number
  readonly #trees = new Map<string, Buffer>()
  #treeBytes = 0
  #writtenBytes = 0

  constructor(git: Git, timeoutMs: number) {
    this.#git = git
    this.#timeoutMs = timeoutMs
    this.#reader = new BatchReader(() => git.start(['cat-file', '--batch']), timeoutMs)
  }

  /** A file's contents, or undefined where they were left on the server. */
  async readBlob(oid: string): Promise<Buffer | undefined> {
    return (await this.#reader.read(oid))?.data
  }

  async readTree(oid: string): Promise<Buffer> {
    if (oid === EMPTY_TREE) return Buffer.alloc(0)
    const cached = this.#trees.get(oid)
    if (cached !== undefined) {
      this.#trees.delete(oid)
      this.#trees.set(oid, cached)
      return cached
    }
    const object = await this.#reader.read(oid)
    if (object?.type !== 'tree') throw new GitError('local', `tree ${oid} is missing`)
    this.#remember(oid, object.data)
    return object.data
  }

  /** The tree of a commit. */
  async treeOf(commit: string): Promise<string> {
    const object = await this.#reader.read(commit)
    const tree = /^tree ([0-9a-f]{40})$/m.exec(object?.data.toString('latin1') ?? '')?.[1]
    if (object?.type !== 'commit' || tree === undefined) {
      throw new GitError('local', `commit ${commit} is missing`)
    }
    return tree
  }

  async write(objects: ReadonlyMap<string, GitObject>, signal?: AbortSignal): Promise<void> {
    if (objects.size === 0) return
    const all = [...objects.values()]
    const isSmall = objects.size < UNPACK_LIMIT
    const command = isSmall ? ['unpack-objects', '-q'] : ['index-pack', '--stdin']
    const input = packfile(all, isSmall ? 'none' : 'fast')
    await this.#git.run(command, { input, timeoutMs: this.#timeoutMs, signal })
    for (const { type, oid, data } of all) {
      this.#writtenBytes += data.length
      if (type === 'tree') this.#remember(oid, data)
    }
  }

  /** How much was written: the repository does not forget it. */
  get writtenBytes(): number {
    return this.#writtenBytes
  }

  close(): void {
    this.#reader.close()
    this.#trees.clear()
    this.#treeBytes = 0
  }

  #remember(oid: string, raw: Buffer): void {
    if (this.#trees.has(oid)) return
    this.#trees.set(oid, raw)
    this.#treeBytes += raw.length
    for (const [oldest, bytes] of this.#trees) {
      if (this.#treeBytes <= CACHED_TREE_BYTES) return
      this.#trees.delete(oldest)
      this.#treeBytes -= bytes.length
    }
  }
}
