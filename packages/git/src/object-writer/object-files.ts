import { createHash } from 'node:crypto'
import { mkdir, open, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { constants, deflateSync } from 'node:zlib'
import type { GitObject } from './git-object.ts'
import { type PackEntry, packfile, packIndex } from './packfile.ts'

/**
 * Writes objects into a repository as Git itself would, without a process. The repository is ours alone and made anew after a crash, so
 * nobody sees a file before it is whole.
 */
export class ObjectFiles {
  readonly #directory: string
  readonly #folders = new Set<string>()

  /** The repository's `objects` directory. */
  constructor(directory: string) {
    this.#directory = directory
  }

  /** A file for each. They are read back by the next push and then hardly ever, so they are not compressed. */
  async writeLoose(objects: readonly GitObject[]): Promise<void> {
    for (const { oid, type, data } of objects) {
      const folder = join(this.#directory, oid.slice(0, 2))
      if (!this.#folders.has(folder)) {
        await mkdir(folder, { recursive: true })
        this.#folders.add(folder)
      }
      const header = Buffer.from(`${type} ${data.length}\0`, 'latin1')
      const content = deflateSync(Buffer.concat([header, data]), UNCOMPRESSED)
      await writeFile(join(folder, oid.slice(2)), content, { flag: 'wx' }).catch(unlessThere)
    }
  }

  /** One file for all, with the index by which they are found. */
  async writePack(objects: readonly GitObject[]): Promise<void> {
    const folder = join(this.#directory, 'pack')
    await mkdir(folder, { recursive: true })
    const name = packName(objects)
    const temporary = join(folder, `tmp_${name}`)
    const file = await open(temporary, 'w')
    const entries: PackEntry[] = []
    let checksum = Buffer.alloc(0)
    try {
      for await (const chunk of packfile(objects, entries)) {
        await file.writeFile(chunk)
        checksum = chunk
      }
    } finally {
      await file.close()
    }
    await rename(temporary, join(folder, `${name}.pack`))
    // A pack counts from the moment when it has an index.
    const index = packIndex(entries, checksum)
    await writeFile(join(folder, `${name}.idx`), index, { flag: 'wx' }).catch(unlessThere)
  }
}

const UNCOMPRESSED = { level: constants.Z_NO_COMPRESSION }

const unlessThere = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'EEXIST') throw error
}

/** The same objects make the same pack. */
const packName = (objects: readonly GitObject[]): string => {
  const hash = createHash('sha1')
  for (const { oid } of objects) hash.update(oid)
  return `pack-${hash.digest('hex')}`
}
