import { emptyTree } from './git-object.ts'
import type { NewObjects } from './new-objects.ts'
import { pathProblem } from './repository-path.ts'
import {
  editTree,
  fileMode,
  findEntries,
  nameBytes,
  noEntries,
  type Tree,
  type TreeEntry,
} from './tree.ts'

/** The name of the contents that a file shall have; null: there shall be no such file. */
export type FileContents = ReadonlyMap<string, string | null>

export interface RefusedChange {
  readonly path: string
  readonly because: string
}

/** Where trees are read: a repository, or one with objects that it does not hold yet. */
export interface TreeReader {
  readTree(oid: string): Promise<Tree>
}

export interface AppliedChanges {
  readonly tree: string
  /** The paths whose file is another than before. */
  readonly changed: readonly string[]
  /** Of these, where there was none before. */
  readonly created: ReadonlySet<string>
  /** Of these, where there is none any more. */
  readonly deleted: ReadonlySet<string>
  readonly refused: readonly RefusedChange[]
}

/**
 * Writes files into a tree. Only the folders on the way to a changed file are read, and no file is. What stands in the
 * way (a link, a folder instead of a file, a file instead of a folder) belongs to others, and the change is refused.
 * New folders are added to `objects`.
 */
export async function applyChanges(
  store: TreeReader,
  baseTree: string,
  files: FileContents,
  objects: NewObjects,
): Promise<AppliedChanges> {
  const work: Work = {
    store,
    objects,
    changed: [],
    created: new Set(),
    deleted: new Set(),
    refused: [],
  }
  const root = folderOf(files, work.refused)
  const tree = await applyTo(baseTree, root, work)
  return {
    tree: tree ?? objects.addTree({ ...noEntries, pieces: [] }, undefined),
    changed: work.changed,
    created: work.created,
    deleted: work.deleted,
    refused: work.refused,
  }
}

interface Work {
  readonly store: TreeReader
  readonly objects: NewObjects
  readonly changed: string[]
  readonly created: Set<string>
  readonly deleted: Set<string>
  readonly refused: RefusedChange[]
}

interface Folder {
  readonly path: string
  readonly files: Map<string, { readonly path: string; readonly content: string | null }>
  readonly folders: Map<string, Folder>
}

function newFolder(path: string): Folder {
  return { path, files: new Map(), folders: new Map() }
}

function folderOf(files: FileContents, refused: RefusedChange[]): Folder {
  const root = newFolder('')
  for (const [path, content] of files) {
    const because = pathProblem(path)
    if (because !== undefined) {
      refused.push({ path, because })
      continue
    }
    const segments = path.split('/')
    const name = segments.pop() ?? ''
    let folder = root
    for (const segment of segments) {
      const key = nameBytes(segment)
      const inner = folder.folders.get(key) ?? newFolder(`${folder.path}${segment}/`)
      folder.folders.set(key, inner)
      folder = inner
    }
    folder.files.set(nameBytes(name), { path, content })
  }
  return root
}

/** The new tree's name, or undefined when it became empty. */
async function applyTo(
  treeOid: string | undefined,
  folder: Folder,
  work: Work,
): Promise<string | undefined> {
  const tree = treeOid === undefined ? noEntries : await work.store.readTree(treeOid)
  const present = findEntries(tree, [...folder.files.keys(), ...folder.folders.keys()])
  const edits = new Map<string, { mode: string; oid: string } | null>()
  for (const [name, file] of folder.files) {
    const edit = editFile(present.get(name), file, folder.folders.has(name), work)
    if (edit !== undefined) edits.set(name, edit)
  }
  for (const [name, inner] of folder.folders) {
    const existing = present.get(name)
    // A file that goes away in the same change makes room for a folder of its name.
    const leaves = edits.get(name) === null
    if (existing !== undefined && existing.mode !== fileMode.directory && !leaves) {
      refuseAll(inner, `${folder.path}${existing.name} is not a folder`, work)
      continue
    }
    const before = existing?.mode === fileMode.directory ? existing.oid : undefined
    const after = await applyTo(before, inner, work)
    if (after === before) continue
    edits.set(name, after === undefined ? null : { mode: fileMode.directory, oid: after })
  }
  if (edits.size === 0) return treeOid === emptyTree ? undefined : treeOid
  const edited = editTree(tree, edits)
  if (edited.raw.length === 0) return undefined
  if (treeOid === undefined) return work.objects.addTree(edited, undefined)
  return work.objects.addTree(edited, { oid: treeOid, type: 'tree', data: tree.raw })
}

function editFile(
  existing: TreeEntry | undefined,
  { path, content }: { readonly path: string; readonly content: string | null },
  becomesFolder: boolean,
  work: Work,
): { mode: string; oid: string } | null | undefined {
  const isFile = existing?.mode === fileMode.file || existing?.mode === fileMode.executable
  if (content === null) {
    // The file to delete does not exist.
    if (!isFile) return undefined
    work.changed.push(path)
    work.deleted.add(path)
    return null
  }
  if (existing !== undefined && !isFile) {
    return refuse(
      path,
      existing.mode === fileMode.directory
        ? 'a folder exists at this path'
        : 'a symbolic link exists at this path',
      work,
    )
  }
  if (becomesFolder) return refuse(path, 'the same change needs a folder at this path', work)
  if (existing?.oid === content) return undefined
  work.changed.push(path)
  if (existing === undefined) work.created.add(path)
  return { mode: existing?.mode ?? fileMode.file, oid: content }
}

function refuse(path: string, because: string, work: Work): undefined {
  work.refused.push({ path, because })
  return undefined
}

function refuseAll(folder: Folder, because: string, work: Work): void {
  for (const { path, content } of folder.files.values()) {
    // The file to delete does not exist.
    if (content !== null) refuse(path, because, work)
  }
  for (const inner of folder.folders.values()) refuseAll(inner, because, work)
}
