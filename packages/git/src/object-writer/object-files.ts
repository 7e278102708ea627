import { createHash } from 'node:crypto'
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import type { GitObject, NewObject } from './git-object.ts'
import { compression, type PackEntry, packfile, packIndex } from './packfile.ts'

/**
 * Writes objects into a repository as Git itself would, without a process. The repository has no other writer and is
 * recreated after a crash, so no reader sees a file before it is complete.
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
      const content = deflateSync(Buffer.concat([header, data]), { level: compression.none })
      await writeFile(join(folder, oid.slice(2)), content, { flag: 'wx' }).catch(unlessThere)
    }
  }

  /** One file for all, with the index by which they are found. Returns its name. */
  async writePack(
    objects: readonly NewObject[],
    level: number = compression.fast,
  ): Promise<string> {
    const folder = join(this.#directory, 'pack')
    await mkdir(folder, { recursive: true })
    const name = packName(objects)
    const temporary = join(folder, `tmp_${name}`)
    const file = await open(temporary, 'w')
    const entries: PackEntry[] = []
    let checksum = Buffer.alloc(0)
    try {
      for await (const chunk of packfile(objects, level, entries)) {
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
    return name
  }

  async removePack(name: string): Promise<void> {
    const path = join(this.#directory, 'pack', name)
    // Without its index the pack is never read.
    await rm(`${path}.idx`, { force: true })
    await rm(`${path}.pack`, { force: true })
  }
}

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}

/** The same objects make the same pack. */
function packName(objects: readonly GitObject[]): string {
  const hash = createHash('sha1')
  for (const { oid } of objects) hash.update(oid)
  return `pack-${hash.digest('hex')}`
}
