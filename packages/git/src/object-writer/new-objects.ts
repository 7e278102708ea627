import { deltaOf } from './delta.ts'
import { type GitObject, gitObject, type NewObject } from './git-object.ts'
import type { EditedTree, Tree } from './tree.ts'

/** Where objects are kept. */
export interface ObjectKeeper {
  write(objects: readonly NewObject[]): Promise<void>
}

/** Bytes of contents that wait in memory at most. */
const flushBytes = 4 * 1024 * 1024

/** From here on `git push` would notice that it has to find out by itself what changed in a folder. */
const largeTreeBytes = 64 * 1024

/**
 * The objects of a commit that is being made. Contents of files go to the repository as soon as there are many, so that
 * memory does not follow the size of the commit; folders and commits stay until the end, for they are read again.
 */
export class NewObjects {
  readonly #keeper: ObjectKeeper
  readonly #kept = new Map<string, NewObject>()
  #blobs = new Map<string, GitObject>()
  #blobBytes = 0

  constructor(keeper: ObjectKeeper) {
    this.#keeper = keeper
  }

  /** Contents that are not written yet. Undefined for objects of the repository and for unknown ones. */
  blob(oid: string): Buffer | undefined {
    return this.#blobs.get(oid)?.data
  }

  /** A folder that waits to be written. */
  tree(oid: string): Tree | undefined {
    return this.#kept.get(oid)?.tree
  }

  addCommit(data: Buffer): string {
    const commit = gitObject('commit', data)
    this.#kept.set(commit.oid, commit)
    return commit.oid
  }

  /** Adds a folder, which may have been made of another one, and returns its name. */
  addTree(tree: EditedTree, from: GitObject | undefined): string {
    const object = gitObject('tree', tree.raw)
    // The first way in which it was made stays: what it was made of is older than it.
    if (!this.#kept.has(object.oid)) this.#kept.set(object.oid, made(object, tree, from))
    return object.oid
  }

  async addBlob(blob: GitObject): Promise<void> {
    if (this.#blobs.has(blob.oid)) return
    this.#blobs.set(blob.oid, blob)
    this.#blobBytes += blob.data.length
    if (this.#blobBytes >= flushBytes) await this.#writeBlobs([])
  }

  /** Everything is in the repository afterwards. */
  async flush(): Promise<void> {
    const kept = [...this.#kept.values()]
    this.#kept.clear()
    await this.#writeBlobs(kept)
  }

  async #writeBlobs(others: readonly NewObject[]): Promise<void> {
    const all = [...this.#blobs.values(), ...others]
    this.#blobs = new Map()
    this.#blobBytes = 0
    if (all.length > 0) await this.#keeper.write(all)
  }
}

function made(object: GitObject, tree: EditedTree, from: GitObject | undefined): NewObject {
  const { raw, starts } = tree
  const written = { ...object, tree: { raw, starts } }
  if (from === undefined || Math.min(raw.length, from.data.length) < largeTreeBytes) return written
  const instructions = deltaOf(from.data.length, raw.length, tree.pieces)
  // Where most of it is new there is nothing to gain.
  if (instructions.length > raw.length / 2) return written
  return { ...written, delta: { base: from, instructions } }
}
