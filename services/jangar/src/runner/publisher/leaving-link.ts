import { posix } from 'node:path'

/** The symbolic links of a tree by their paths. Paths and targets are bytes, one for each character. */
export type TreeLinks = ReadonlyMap<string, string>

/** Why a link may not be pushed; undefined if it may. */
export type LinkProblem =
  | 'it is a symbolic link out of the repository'
  | 'it leads through too many symbolic links'

const outside = 'it is a symbolic link out of the repository'
const unclear = 'it leads through too many symbolic links'

/** Of what kernels follow: 40 on Linux, 32 on macOS, 63 on Windows. */
const mostFollowed = 64
/** Names that are read or copied for one link, and for all of a tree. */
const mostSteps = 10_000
const mostStepsOfTree = 10_000_000

/** A way through the tree: where it is, what is left of the path, and how many links it has followed. */
interface Way {
  readonly at: readonly string[]
  readonly left: readonly string[]
  readonly followed: number
}

/**
 * Resolves links in a tree as a file system would, links on the way included. What is no link is taken for a folder,
 * whether it exists or not, since it may exist where the tree is used. Where the tree is checked out is not known, so
 * every way counts that some system would take: names that differ in case alone are the same on some, a backslash
 * separates names on some, and `.git` is no part of the tree on any.
 */
export class LinkResolver {
  readonly #links: TreeLinks
  readonly #byFoldedPath: ReadonlyMap<string, readonly string[]>
  #steps = 0

  constructor(links: TreeLinks) {
    this.#links = links
    this.#byFoldedPath = Map.groupBy(links.keys(), foldedPath)
  }

  /** How many names were read or copied so far. */
  get steps(): number {
    return this.#steps
  }

  problemOf(path: string): LinkProblem | undefined {
    const target = this.#links.get(path)
    if (target === undefined) return undefined
    if (this.#steps >= mostStepsOfTree) return unclear
    const folder = path.split('/').slice(0, -1)
    if (isOutside(posix.join(...folder, target))) return outside
    return this.#follow(targetsOf(target).map((left) => ({ at: folder, left, followed: 1 })))
  }

  #follow(ways: Way[]): LinkProblem | undefined {
    const most = Math.min(this.#steps + mostSteps, mostStepsOfTree)
    for (let way = ways.pop(); way !== undefined; way = ways.pop()) {
      const at = [...way.at]
      for (const [index, name] of way.left.entries()) {
        // The path that is looked for has as many names as the way is deep.
        this.#steps += 1 + at.length
        if (this.#steps > most || way.followed > mostFollowed) return unclear
        if (name === '' || name === '.') continue
        if (name === absolute || isGitFolder(name)) return outside
        if (name === '..') {
          if (at.pop() === undefined) return outside
          continue
        }
        const path = [...at, name].join('/')
        const left = way.left.slice(index + 1)
        for (const target of this.#targetsAt(path)) {
          for (const names of targetsOf(target)) {
            this.#steps += at.length + names.length + left.length
            ways.push({ at: [...at], left: [...names, ...left], followed: way.followed + 1 })
          }
        }
        // On a system that distinguishes case, only this link would be here.
        if (this.#links.has(path)) break
        at.push(name)
      }
    }
    return undefined
  }

  /** Of the links that have this path on some system. */
  #targetsAt(path: string): string[] {
    const paths = this.#byFoldedPath.get(foldedPath(path)) ?? []
    return paths.map((one) => this.#links.get(one) ?? '')
  }
}

/** Stands for the root of a file system, which is no name. */
const absolute = '/'

/** The names of a target, with each separator that systems have. */
function targetsOf(target: string): string[][] {
  const plain = namesOf(target)
  return target.includes('\\') ? [plain, namesOf(target.replaceAll('\\', '/'))] : [plain]
}

function namesOf(target: string): string[] {
  const names = target.split('/')
  return target.startsWith('/') || /^[a-z]:/i.test(target) ? [absolute, ...names] : names
}

function isOutside(path: string): boolean {
  const end = posix.normalize(path)
  return end === '..' || end.startsWith('../')
}

/** Also by the names that Windows and macOS take for it. */
function isGitFolder(name: string): boolean {
  return /^(?:\.git|git~1)[. ]*(?::.*)?$/i.test(name)
}

function foldedPath(path: string): string {
  return Buffer.from(path, 'latin1').toString('utf8').normalize('NFC').toLowerCase()
}
