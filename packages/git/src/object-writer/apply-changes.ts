import { EMPTY_TREE } from './git-object.ts'
import type { NewObjects } from './new-objects.ts'
import { pathProblem } from './repository-path.ts'
import {
  editTree,
  findEntries,
  MODE,
  NO_ENTRIES,
  nameBytes,
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
 * Writes files into a tree. Only the folders on the way to a changed file are read, and no file is. What stands in the way (a
 * link, a folder in place of a file, a file in place of a folder) is somebody else's, and the change is refused.
 * New folders are added to `objects`.
 */
export const applyChanges = async (
  store: TreeReader,
  baseTree: string,
  files: FileContents,
  objects: NewObjects,
): Promise<AppliedChanges> => {
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
    tree: tree ?? objects.addTree({ ...NO_ENTRIES, pieces: [] }, undefined),
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

const newFolder = (path: string): Folder => ({ path, files: new Map(), folders: new Map() })

const folderOf = (files: FileContents, refused: RefusedChange[]): Folder => {
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
const applyTo = async (
  treeOid: string | undefined,
  folder: Folder,
  work: Work,
): Promise<string | undefined> => {
  const tree = treeOid === undefined ? NO_ENTRIES : await work.store.readTree(treeOid)
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
    if (existing !== undefined && existing.mode !== MODE.directory && !leaves) {
      refuseAll(inner, `${folder.path}${existing.name} is no folder`, work)
      continue
    }
    const before = existing?.mode === MODE.directory ? existing.oid : undefined
    const after = await applyTo(before, inner, work)
    if (after === before) continue
    edits.set(name, after === undefined ? null : { mode: MODE.directory, oid: after })
  }
  if (edits.size === 0) return treeOid === EMPTY_TREE ? undefined : treeOid
  const edited = editTree(tree, edits)
  if (edited.raw.length === 0) return undefined
  if (treeOid === undefined) return work.objects.addTree(edited, undefined)
  return work.objects.addTree(edited, { oid: treeOid, type: 'tree', data: tree.raw })
}

const editFile = (
  existing: TreeEntry | undefined,
  { path, content }: { readonly path: string; readonly content: string | null },
  becomesFolder: boolean,
  work: Work,
): { mode: string; oid: string } | null | undefined => {
  const isFile = existing?.mode === MODE.file || existing?.mode === MODE.executable
  if (content === null) {
    // What shall be gone is not there.
    if (!isFile) return undefined
    work.changed.push(path)
    work.deleted.add(path)
    return null
  }
  if (existing !== undefined && !isFile) {
    return refuse(
      path,
      existing.mode === MODE.directory
        ? 'a folder stands in its place'
        : 'a link stands in its place',
      work,
    )
  }
  if (becomesFolder) return refuse(path, 'the same change needs a folder in its place', work)
  if (existing?.oid === content) return undefined
  work.changed.push(path)
  if (existing === undefined) work.created.add(path)
  return { mode: existing?.mode ?? MODE.file, oid: content }
}

const refuse = (path: string, because: string, work: Work): undefined => {
  work.refused.push({ path, because })
  return undefined
}

const refuseAll = (folder: Folder, because: string, work: Work): void => {
  for (const { path, content } of folder.files.values()) {
    // What shall be gone is not there.
    if (content !== null) refuse(path, because, work)
  }
  for (const inner of folder.folders.values()) refuseAll(inner, because, work)
}
