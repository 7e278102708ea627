import { join } from 'node:path'
import { GitError } from '../git-error.ts'
import type { Git } from '../git-process/git.ts'
import { BatchReader } from './batch-reader.ts'
import { DeltaPacks } from './delta-packs.ts'
import { emptyTree, type GitObject, type NewObject } from './git-object.ts'
import { ObjectFiles } from './object-files.ts'
import { noEntries, parseTree, type Tree } from './tree.ts'

/** Fewer objects are written as single files, which cost Git less than one more pack. */
const packFromObjects = 100

/** What an object in a file of its own takes of the disk at least. */
const diskBlockBytes = 4096

/** Every later `git` process opens each pack, so smaller ones are not worth it. */
const smallestPackBytes = 1024 * 1024

/** Objects are held in memory while they are read. A folder of this size has more than half a million entries. */
const maxObjectBytes = 32 * 1024 * 1024

/** Objects whose sizes are asked for with one process. */
const sizesAtOnce = 50_000

const cachedTreeBytes = 16 * 1024 * 1024

/** The objects of one bare repository. */
export class ObjectStore {
  readonly #git: Git
  readonly #timeoutMs: number
  readonly #files: ObjectFiles
  readonly #deltas: DeltaPacks
  readonly #reader: BatchReader
  readonly #trees = new Map<string, Tree>()
  #treeBytes = 0
  #keptBytes = 0

  constructor(git: Git, gitDirectory: string, timeoutMs: number) {
    this.#git = git
    this.#timeoutMs = timeoutMs
    this.#files = new ObjectFiles(join(gitDirectory, 'objects'))
    this.#deltas = new DeltaPacks(this.#files, async (oid) => ({
      oid,
      type: 'tree',
      data: (await this.readTree(oid)).raw,
    }))
    this.#reader = new BatchReader(() => git.start(['cat-file', '--batch']), {
      timeoutMs,
      maxBytes: maxObjectBytes,
    })
  }

  /** A file's contents, or undefined where they were left on the server. */
  async readBlob(oid: string): Promise<Buffer | undefined> {
    return (await this.#reader.read(oid))?.data
  }

  /** The sizes of objects in bytes, without reading them; none for those that were left on the server. */
  async sizes(oids: readonly string[]): Promise<Map<string, number>> {
    const args = ['cat-file', '--batch-check=%(objectname) %(objectsize)']
    const sizes = new Map<string, number>()
    for (let start = 0; start < oids.length; start += sizesAtOnce) {
      const some = oids.slice(start, start + sizesAtOnce)
      const input = [Buffer.from(some.map((oid) => `${oid}\n`).join(''))]
      const { stdout } = await this.#git.run(args, { timeoutMs: this.#timeoutMs, input })
      const lines = stdout.toString('latin1').matchAll(/^([0-9a-f]{40}) (\d+)$/gm)
      for (const [, oid = '', size] of lines) sizes.set(oid, Number(size))
    }
    return sizes
  }

  async readTree(oid: string): Promise<Tree> {
    if (oid === emptyTree) return noEntries
    const cached = this.#trees.get(oid)
    if (cached !== undefined) {
      this.#trees.delete(oid)
      this.#trees.set(oid, cached)
      return cached
    }
    const object = await this.#reader.read(oid)
    if (object?.type !== 'tree') throw new GitError('local', `tree ${oid} is missing`)
    const tree = parseTree(object.data)
    this.#remember(oid, tree)
    return tree
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

  async write(objects: readonly NewObject[]): Promise<void> {
    const others = await this.#deltas.write(objects)
    if (others.length < packFromObjects) await this.#writeLoose(others)
    else await this.#writePack(others)
    for (const { oid, tree } of objects) if (tree !== undefined) this.#remember(oid, tree)
  }

  /** How much was written that the repository does not forget. */
  get keptBytes(): number {
    return this.#keptBytes + this.#deltas.bytes
  }

  close(): void {
    this.#reader.close()
    this.#trees.clear()
    this.#treeBytes = 0
  }

  async #writeLoose(objects: readonly GitObject[]): Promise<void> {
    await this.#files.writeLoose(objects)
    for (const { data } of objects) this.#keptBytes += Math.max(diskBlockBytes, data.length)
  }

  async #writePack(objects: readonly GitObject[]): Promise<void> {
    await this.#files.writePack(objects)
    const bytes = objects.reduce((sum, { data }) => sum + data.length, 0)
    this.#keptBytes += Math.max(smallestPackBytes, bytes)
  }

  #remember(oid: string, tree: Tree): void {
    if (this.#trees.has(oid)) return
    this.#trees.set(oid, tree)
    this.#treeBytes += bytesOf(tree)
    for (const [oldest, forgotten] of this.#trees) {
      if (this.#treeBytes <= cachedTreeBytes) return
      this.#trees.delete(oldest)
      this.#treeBytes -= bytesOf(forgotten)
    }
  }
}

function bytesOf({ raw, starts }: Tree): number {
  return raw.length + starts.byteLength
}
