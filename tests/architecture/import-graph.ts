import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** For each file, the files of the project that it imports by a relative path. */
type ImportGraph = ReadonlyMap<string, ReadonlySet<string>>

/** Paths are relative to `root` and separated by slashes. */
export function readImportGraph(root: string, paths: readonly string[]): ImportGraph {
  const known = new Set(paths)
  return new Map(
    paths.map((path) => {
      const text = readFileSync(join(root, path), 'utf8')
      const targets = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)]
        .map(([, specifier = '']) => join(dirname(path), specifier))
        .filter((target) => known.has(target))
      return [path, new Set(targets)]
    }),
  )
}

/** A group of sibling folders that import each other, directly or in a circle. */
export interface FolderCycle {
  readonly parent: string
  readonly folders: readonly string[]
  /** One import for each pair of folders in the cycle, as `from -> to`. */
  readonly imports: readonly string[]
}

export function folderCycles(graph: ImportGraph): FolderCycle[] {
  return [...siblingImports(graph)]
    .flatMap(([parent, folders]) => cyclesBelow(parent, folders))
    .toSorted((a, b) => a.parent.localeCompare(b.parent))
}

/** parent folder → importing folder → imported folder → an import between the two */
type SiblingImports = Map<string, Map<string, Map<string, string>>>

function siblingImports(graph: ImportGraph): SiblingImports {
  const siblings: SiblingImports = new Map()
  for (const [path, targets] of graph) {
    for (const target of targets) {
      const from = path.split('/')
      const to = target.split('/')
      const depth = from.findIndex((part, index) => part !== to[index])
      // A file beside the folders belongs to none of them.
      if (depth >= from.length - 1 || depth >= to.length - 1) continue
      const parent = from.slice(0, depth).join('/')
      const folders = entry(siblings, parent, () => new Map())
      entry(folders, from[depth] ?? '', () => new Map()).set(
        to[depth] ?? '',
        `${path} -> ${target}`,
      )
    }
  }
  return siblings
}

function entry<Value>(map: Map<string, Value>, key: string, create: () => Value): Value {
  const found = map.get(key) ?? create()
  map.set(key, found)
  return found
}

function cyclesBelow(
  parent: string,
  folders: ReadonlyMap<string, ReadonlyMap<string, string>>,
): FolderCycle[] {
  const reached = new Map([...folders.keys()].map((folder) => [folder, reachable(folder, folders)]))
  const cycles = new Map<string, FolderCycle>()
  for (const folder of folders.keys()) {
    if (!reached.get(folder)?.has(folder)) continue
    const members = [...folders.keys()]
      .filter((other) => reached.get(folder)?.has(other) && reached.get(other)?.has(folder))
      .toSorted()
    const imports = members.flatMap((from) =>
      members.flatMap((to) => (from === to ? [] : (folders.get(from)?.get(to) ?? []))),
    )
    cycles.set(members.join(), { parent, folders: members, imports })
  }
  return [...cycles.values()]
}

function reachable(
  start: string,
  folders: ReadonlyMap<string, ReadonlyMap<string, string>>,
): ReadonlySet<string> {
  const seen = new Set<string>()
  const open = [start]
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const next of folders.get(folder)?.keys() ?? []) {
      if (!seen.has(next)) open.push(next)
      seen.add(next)
    }
  }
  return seen
}
