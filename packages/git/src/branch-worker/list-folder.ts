import { GitError } from '../git-error.ts'
import type { TreeReader } from '../object-writer/apply-changes.ts'
import {
  fileMode,
  findEntries,
  nameBytes,
  nameText,
  type TreeEntry,
  treeEntries,
} from '../object-writer/tree.ts'

export interface FolderFile {
  /**
   * The object id. Equal ids mean equal contents, so comparing with `objectId('blob', …)` shows whether a write is
   * needed.
   */
  readonly oid: string
  readonly kind: 'file' | 'link' | 'submodule'
}

/** The files below a folder of a tree, by their path from the root of the repository. */
export async function listFolder(
  store: TreeReader,
  tree: string,
  folder: string,
): Promise<Map<string, FolderFile>> {
  const files = new Map<string, FolderFile>()
  const start = folder === '' ? tree : await findFolder(store, tree, folder)
  if (start === undefined) return files
  await collect(store, start, folder === '' ? '' : `${folder}/`, files, { left: mostEntries })
  return files
}

/** Ten folders that each contain the next one ten times describe more paths than any memory can hold. */
const mostEntries = 1_000_000

/** The files at these paths that exist. Each folder is read once. */
export async function findFiles(
  store: TreeReader,
  tree: string,
  paths: Iterable<string>,
): Promise<Map<string, FolderFile>> {
  const byFolder = Map.groupBy(paths, (path) => path.slice(0, Math.max(0, path.lastIndexOf('/'))))
  const files = new Map<string, FolderFile>()
  for (const [folder, inside] of byFolder) {
    const oid = folder === '' ? tree : await findFolder(store, tree, folder)
    if (oid === undefined) continue
    const names = new Map(
      inside.map((path) => [nameBytes(path.slice(path.lastIndexOf('/') + 1)), path]),
    )
    for (const [name, entry] of findEntries(await store.readTree(oid), names.keys())) {
      if (entry.mode === fileMode.directory) continue
      files.set(names.get(name) ?? '', { oid: entry.oid, kind: kindOf(entry.mode) })
    }
  }
  return files
}

async function findFolder(
  store: TreeReader,
  tree: string,
  path: string,
): Promise<string | undefined> {
  let oid = tree
  for (const segment of path.split('/')) {
    const entry = await entryOf(store, oid, segment)
    if (entry?.mode !== fileMode.directory) return undefined
    oid = entry.oid
  }
  return oid
}

async function entryOf(
  store: TreeReader,
  tree: string,
  segment: string,
): Promise<TreeEntry | undefined> {
  const name = nameBytes(segment)
  return findEntries(await store.readTree(tree), [name]).get(name)
}

async function collect(
  store: TreeReader,
  tree: string,
  prefix: string,
  files: Map<string, FolderFile>,
  budget: { left: number },
): Promise<void> {
  for (const { name, mode, oid } of treeEntries(await store.readTree(tree))) {
    budget.left -= 1
    if (budget.left < 0) {
      throw new GitError('refused', `the folder has more than ${mostEntries} files and folders`)
    }
    const path = prefix + nameText(name)
    if (mode === fileMode.directory) await collect(store, oid, `${path}/`, files, budget)
    else files.set(path, { oid, kind: kindOf(mode) })
  }
}

function kindOf(mode: string): FolderFile['kind'] {
  return mode === fileMode.symlink ? 'link' : mode === fileMode.submodule ? 'submodule' : 'file'
}
