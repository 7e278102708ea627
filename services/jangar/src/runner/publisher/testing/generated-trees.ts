import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, posix } from 'node:path'
import { expect } from 'vitest'
import { LinkResolver } from '../leaving-link.ts'

export interface GeneratedTree {
  readonly folders: readonly string[]
  readonly links: ReadonlyMap<string, string>
}

/** How many links of the trees left them, and how many did not, as a file system resolved them. */
interface Tally {
  left: number
  stayed: number
}

/** A generator of trees that is the same for the same seed. */
export function treeGenerator(seed: number): () => GeneratedTree {
  let state = seed >>> 0
  const below = (most: number): number => {
    // A linear congruential generator; its upper bits are the better ones.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * most)
  }
  const oneOf = <T>(items: readonly [T, ...T[]]): T => items[below(items.length)] ?? items[0]
  const times = <T>(most: number, make: () => T): T[] =>
    Array.from({ length: 1 + below(most) }, make)
  return () => {
    const folders = times(6, () => times(4, () => oneOf(folderNames)).join('/'))
    const places: [string, ...string[]] = ['.', ...folders]
    const links = new Map<string, string>()
    for (const [index] of times(7, () => 0).entries()) {
      const path = posix.join(oneOf(places), `l${index}`)
      const [known, ...others] = [...links.keys()]
      const segment = (): string => {
        const kind = below(10)
        if (kind < 4) return '..'
        if (kind < 6 && known !== undefined) return posix.basename(oneOf([known, ...others]))
        return oneOf(folderNames)
      }
      // Half of the links name another one from where they are, which is how links that are harmless alone meet.
      const from = posix.dirname(path)
      const start =
        known !== undefined && below(2) === 0
          ? [posix.relative(from, oneOf([known, ...others]))]
          : [posix.relative(from, oneOf(places)) || '.']
      links.set(path, [...start, ...times(4, segment)].join('/'))
    }
    return { folders, links }
  }
}

const folderNames: readonly [string, ...string[]] = ['a', 'b', 'c']

/**
 * A folder for a checkout, with folders of the same names around it, so that a path that leaves the tree names
 * something.
 * Its own name is that of no folder, so that no path comes back.
 */
export function surroundedFolder(): { readonly root: string; readonly remove: () => void } {
  const top = mkdtempSync(join(tmpdir(), 'agents-links-'))
  const around = ['', 'p', 'p/q', 'p/q/r', 'p/q/r/s']
  for (const place of around) {
    for (const one of folderNames) {
      for (const other of folderNames) mkdirSync(join(top, place, one, other), { recursive: true })
    }
  }
  const root = join(realpathSync(top), 'p/q/r/s/the-tree')
  return { root, remove: () => rmSync(top, { recursive: true, force: true }) }
}

/** Where the file system finds what a link of a checkout names; undefined if it finds nothing. */
export function foundAt(root: string, path: string): 'inside' | 'outside' | undefined {
  try {
    const found = realpathSync.native(join(root, path))
    return found === root || found.startsWith(`${root}/`) ? 'inside' : 'outside'
  } catch {
    return undefined
  }
}

/** Whether the target would leave if no link were on its way. Such links are refused, wherever they lead. */
export function leavesByName(path: string, target: string): boolean {
  const end = posix.join(posix.dirname(path), target)
  return end === '..' || end.startsWith('../')
}

/** Compares the judgement of each link with where the file system finds it. */
export function compare(root: string, { links }: GeneratedTree, tally: Tally): void {
  const resolver = new LinkResolver(links)
  for (const [path, target] of links) {
    const found = foundAt(root, path)
    const problem = resolver.problemOf(path)
    const where = JSON.stringify([path, Object.fromEntries(links)])
    if (found === 'outside') expect(problem, where).toBeDefined()
    if (found === 'inside' && !leavesByName(path, target)) expect(problem, where).toBeUndefined()
    if (found === 'outside') tally.left += 1
    if (found === 'inside') tally.stayed += 1
  }
}

export function treesAgainstFileSystem({ seed, trees }: { seed: number; trees: number }): Tally {
  const next = treeGenerator(seed)
  const tally = { left: 0, stayed: 0 }
  const { root, remove } = surroundedFolder()
  try {
    for (let count = 0; count < trees; count += 1) {
      const tree = next()
      for (const folder of tree.folders) mkdirSync(join(root, folder), { recursive: true })
      for (const [path, target] of tree.links) {
        mkdirSync(dirname(join(root, path)), { recursive: true })
        symlinkSync(target, join(root, path))
      }
      compare(root, tree, tally)
      rmSync(root, { recursive: true, force: true })
    }
    return tally
  } finally {
    remove()
  }
}
