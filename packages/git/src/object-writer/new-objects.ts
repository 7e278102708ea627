import type { GitObject, ObjectType } from './git-object.ts'
import { gitObject } from './git-object.ts'

/** Where objects are kept. */
export interface ObjectKeeper {
  write(objects: readonly GitObject[]): Promise<void>
}

/** Bytes of contents that wait in memory at most. */
const FULL = 4 * 1024 * 1024

/**
 * The objects of a commit that is being made. Contents of files go to the repository as soon as there are many, so that memory does not
 * follow the size of the commit; folders and commits stay until the end, for they are read again.
 */
export class NewObjects {
  readonly #keeper: ObjectKeeper
  readonly #kept = new Map<string, GitObject>()
  #blobs = new Map<string, GitObject>()
  #blobBytes = 0

  constructor(keeper: ObjectKeeper) {
    this.#keeper = keeper
  }

  /** What waits to be written; undefined for what the repository holds, or nobody has. */
  get(oid: string): Buffer | undefined {
    return (this.#kept.get(oid) ?? this.#blobs.get(oid))?.data
  }

  /** Adds a folder or commit, and returns its name. */
  add(type: Exclude<ObjectType, 'blob'>, data: Buffer): string {
    const object = gitObject(type, data)
    this.#kept.set(object.oid, object)
    return object.oid
  }

  async addBlob(blob: GitObject): Promise<void> {
    if (this.#blobs.has(blob.oid)) return
    this.#blobs.set(blob.oid, blob)
    this.#blobBytes += blob.data.length
    if (this.#blobBytes >= FULL) await this.#writeBlobs([])
  }

  /** Everything is in the repository afterwards. */
  async flush(): Promise<void> {
    const kept = [...this.#kept.values()]
    this.#kept.clear()
    await this.#writeBlobs(kept)
  }

  async #writeBlobs(others: readonly GitObject[]): Promise<void> {
    const all = [...this.#blobs.values(), ...others]
    this.#blobs = new Map()
    this.#blobBytes = 0
    if (all.length > 0) await this.#keeper.write(all)
  }
}
