import { batchesBySize, GitError, maxFileBytes } from '@agents/git'
import { isKustomization } from './implied-namespaces.ts'

/** Reads blobs of a branch by their ids. */
export interface BlobReader {
  /** In bytes, without reading the blobs. */
  sizes(oids: readonly string[]): Promise<ReadonlyMap<string, number>>
  read(oids: readonly string[]): Promise<ReadonlyMap<string, Buffer>>
}

/** Text of manifests that is kept between two uses. What exceeds it is read twice. */
const maxKeptLength = 16 * 1024 * 1024

/** All kustomizations are needed together. Thousands of them do not take as much. */
const maxKustomizationsLength = 16 * 1024 * 1024

/** A blob and the files that contain it. */
export interface TextFile {
  readonly paths: readonly string[]
  readonly text: string
}

/**
 * The texts of the files of a folder. Anybody may add files to a repository, so only a bounded part is in memory at a
 * time, and files that are too large for a manifest are not read at all.
 */
export class FolderTexts {
  readonly #blobs: BlobReader
  /** Blob ids of the files that can be read, by path. */
  readonly #oids: ReadonlyMap<string, string>
  readonly #sizes: ReadonlyMap<string, number>
  readonly #kept = new Map<string, string>()
  #keptLength = 0
  readonly #kustomizations = new Map<string, string>()
  #kustomizationsLength = 0

  private constructor(
    blobs: BlobReader,
    oids: ReadonlyMap<string, string>,
    sizes: ReadonlyMap<string, number>,
  ) {
    this.#blobs = blobs
    this.#oids = oids
    this.#sizes = sizes
  }

  /** `oids` are blob ids by path. */
  static async open(blobs: BlobReader, oids: ReadonlyMap<string, string>): Promise<FolderTexts> {
    const sizes = oids.size === 0 ? new Map() : await blobs.sizes([...new Set(oids.values())])
    const readable = [...oids].filter(([, oid]) => (sizes.get(oid) ?? 0) <= maxFileBytes)
    return new FolderTexts(blobs, new Map(readable), sizes)
  }

  /** Every file that can be read, files with the same content together. */
  async *all(): AsyncGenerator<TextFile> {
    const pathsByOid = groupByOid(this.#oids)
    for await (const [oid, text] of this.#read(pathsByOid.keys())) {
      const paths = pathsByOid.get(oid) ?? []
      for (const path of paths) if (isKustomization(path)) this.#keepKustomization(path, text)
      yield { paths, text }
    }
  }

  /** By path. Complete after `all`. */
  get kustomizations(): ReadonlyMap<string, string> {
    return this.#kustomizations
  }

  /** Keeps the text of a file that is needed again. */
  keep(path: string, text: string): void {
    if (this.#kept.has(path) || this.#keptLength + text.length > maxKeptLength) return
    this.#kept.set(path, text)
    this.#keptLength += text.length
  }

  /** The texts of some files, by path. */
  async *of(paths: Iterable<string>): AsyncGenerator<readonly [path: string, text: string]> {
    const others: [path: string, oid: string][] = []
    for (const path of paths) {
      const kept = this.#kept.get(path)
      const oid = this.#oids.get(path)
      if (kept !== undefined) yield [path, kept]
      else if (oid !== undefined) others.push([path, oid])
    }
    const pathsByOid = groupByOid(others)
    for await (const [oid, text] of this.#read(pathsByOid.keys())) {
      for (const path of pathsByOid.get(oid) ?? []) yield [path, text]
    }
  }

  async *#read(oids: Iterable<string>): AsyncGenerator<readonly [oid: string, text: string]> {
    for (const batch of batchesBySize(oids, (oid) => this.#sizes.get(oid) ?? 0)) {
      const contents = await this.#blobs.read(batch)
      for (const oid of batch) yield [oid, contents.get(oid)?.toString('utf8') ?? '']
    }
  }

  #keepKustomization(path: string, text: string): void {
    this.#kustomizationsLength += text.length
    if (this.#kustomizationsLength > maxKustomizationsLength) {
      const limit = `${maxKustomizationsLength / 1024 / 1024} MiB`
      throw new GitError('refused', `the kustomizations of the folder have more than ${limit}`)
    }
    this.#kustomizations.set(path, text)
  }
}

function groupByOid(files: Iterable<readonly [path: string, oid: string]>): Map<string, string[]> {
  const pathsByOid = new Map<string, string[]>()
  for (const [path, oid] of files) {
    const paths = pathsByOid.get(oid)
    if (paths === undefined) pathsByOid.set(oid, [path])
    else paths.push(path)
  }
  return pathsByOid
}
