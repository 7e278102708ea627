import { join } from 'node:path'
import type { Git } from '../git-process/git.ts'
import { GitError } from '../git-process/git-error.ts'
import { BatchReader } from './batch-reader.ts'
import { EMPTY_TREE, type GitObject } from './git-object.ts'
import { ObjectFiles } from './object-files.ts'

/** Below it single files are cheaper than one more pack for Git to look into. */
const PACK_FROM = 100

const CACHED_TREE_BYTES = 16 * 1024 * 1024

/** The objects of one bare repository. */
export class ObjectStore {
  readonly #files: ObjectFiles
  readonly #reader: BatchReader
  readonly #trees = new Map<string, Buffer>()
  #treeBytes = 0
  #writtenBytes = 0

  constructor(git: Git, gitDirectory: string, timeoutMs: number) {
    this.#files = new ObjectFiles(join(gitDirectory, 'objects'))
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

  async write(objects: readonly GitObject[]): Promise<void> {
    if (objects.length < PACK_FROM) await this.#files.writeLoose(objects)
    else await this.#files.writePack(objects)
    for (const { type, oid, data } of objects) {
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
