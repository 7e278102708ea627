import type { GitObject, NewObject } from './git-object.ts'
import type { ObjectFiles } from './object-files.ts'
import { compression } from './packfile.ts'

/** Every `git` process opens each of them. */
const mostPacks = 32

/** Reading the last of a chain makes all of it. */
const longestChain = 8

interface DeltaPack {
  readonly name: string
  /** The folder that its last delta makes; the others in the pack are older than it. */
  readonly newest: string
  readonly bytes: number
}

/**
 * Large folders, each in a small pack of its own: what it was before, whole, and what changed since. `git push` sends
 * what it finds there as it is; of a folder in a file of its own it would have to find out what changed, which takes
 * longer than everything else.
 */
export class DeltaPacks {
  readonly #files: ObjectFiles
  readonly #read: (oid: string) => Promise<GitObject>
  readonly #packs = new Map<string, DeltaPack>()

  /** `read` reads what was written here. */
  constructor(files: ObjectFiles, read: (oid: string) => Promise<GitObject>) {
    this.#files = files
    this.#read = read
  }

  /** What the packs take up. */
  get bytes(): number {
    return this.#packs.values().reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** Writes the objects that are made of others, and returns what is still to be written in another way. */
  async write(objects: readonly NewObject[]): Promise<readonly GitObject[]> {
    const { chains, rest } = chainsOf(objects)
    for (const chain of chains.slice(0, mostPacks)) await this.#writeChain(chain)
    const tooMany = chains.slice(mostPacks).flatMap(({ deltas }) => deltas)
    return [...rest.map(whole), ...tooMany.map(whole), ...(await this.#unfold())]
  }

  async #writeChain({ base, deltas }: Chain): Promise<void> {
    const newest = deltas.at(-1)?.oid ?? base.oid
    const name = await this.#files.writePack([base, ...deltas], compression.none)
    const bytes = deltas.reduce((sum, { delta }) => sum + (delta?.instructions.length ?? 0), 0)
    // The new pack holds both, so of others that made them nothing is left but history; or a second folder of the very
    // same contents, and whoever misses that gets a new copy.
    for (const held of [base.oid, newest]) await this.#remove(held, name)
    this.#packs.set(newest, { name, newest, bytes: base.data.length + bytes })
  }

  /**
   * Gives up the oldest packs, and returns their folders. What was just written is never among them: it is about to be
   * sent.
   */
  async #unfold(): Promise<GitObject[]> {
    const unfolded: GitObject[] = []
    for (const { newest } of [...this.#packs.values()].slice(0, -mostPacks)) {
      unfolded.push(await this.#read(newest))
      await this.#remove(newest)
    }
    return unfolded
  }

  async #remove(newest: string, unlessNamed?: string): Promise<void> {
    const pack = this.#packs.get(newest)
    this.#packs.delete(newest)
    if (pack !== undefined && pack.name !== unlessNamed) await this.#files.removePack(pack.name)
  }
}

/** What it is made of may be in another pack, where no delta finds it. */
function whole({ oid, type, data }: NewObject): GitObject {
  return { oid, type, data }
}

/** An object, and those that are made of it, each of the one before. */
interface Chain {
  readonly base: GitObject
  readonly deltas: NewObject[]
}

function chainsOf(objects: readonly NewObject[]): { chains: Chain[]; rest: NewObject[] } {
  const chains: Chain[] = []
  const rest: NewObject[] = []
  const held = new Set<string>()
  const byNewest = new Map<string, Chain>()
  for (const object of objects) {
    if (object.delta === undefined) {
      rest.push(object)
      continue
    }
    // Changed back to what it was earlier in the same chain.
    if (held.has(object.oid)) continue
    const { base } = object.delta
    const before = byNewest.get(base.oid)
    if (before !== undefined && before.deltas.length >= longestChain) {
      rest.push(object)
      continue
    }
    const chain = before ?? { base, deltas: [] }
    if (before === undefined) chains.push(chain)
    chain.deltas.push(object)
    held.add(base.oid).add(object.oid)
    byNewest.delete(base.oid)
    byNewest.set(object.oid, chain)
  }
  return { chains, rest }
}
