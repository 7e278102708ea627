import { commitObject, type Identity } from '../commit/commit-object.ts'
import { GitError } from '../git-error.ts'
import {
  type AppliedChanges,
  applyChanges,
  type FileContents,
  type RefusedChange,
  type TreeReader,
} from '../object-writer/apply-changes.ts'
import { emptyTree, gitObject } from '../object-writer/git-object.ts'
import { NewObjects, type ObjectKeeper } from '../object-writer/new-objects.ts'
import { pathProblem } from '../object-writer/repository-path.ts'
import type { FileChange } from './change-set.ts'
import { batchesBySize, maxFileBytes } from './file-limits.ts'
import { type FolderFile, findFiles } from './list-folder.ts'
import type { PendingCommit } from './pending-changes.ts'

export interface Position {
  /** Undefined before the first commit of a repository. */
  readonly commit: string | undefined
  readonly tree: string
}

export const emptyPosition: Position = { commit: undefined, tree: emptyTree }

/** Reads objects of the branch; contents that are not here are brought from the server. */
export interface BranchReader extends TreeReader {
  readBlobs(oids: readonly string[]): Promise<Map<string, Buffer>>
  /** Sizes in bytes. */
  blobSizes(oids: readonly string[]): Promise<Map<string, number>>
}

interface BuildOptions {
  readonly reader: BranchReader
  readonly keeper: ObjectKeeper
  readonly base: Position
  readonly pending: readonly PendingCommit[]
  readonly committer: Identity
  readonly time: Date
  readonly sign: ((payload: Buffer) => Promise<string>) | undefined
}

export interface BuiltCommits {
  readonly head: Position
  /** What the repository must hold before `head` can be pushed. */
  readonly objects: Pick<NewObjects, 'flush'>
  /** In the order of the pending commits. */
  readonly results: readonly Pick<AppliedChanges, 'changed' | 'refused'>[]
}

/** Puts pending changes on top of a commit, one commit for each owner whose files really change. */
export async function buildCommits(options: BuildOptions): Promise<BuiltCommits> {
  const { base, pending, committer, time, sign } = options
  const objects = new NewObjects(options.keeper)
  const reader = withNewObjects(options.reader, objects)
  const results: Pick<AppliedChanges, 'changed' | 'refused'>[] = []
  let head = base
  for (const { changes, author = committer, message } of pending) {
    const { files, refused } = await decideContents({ reader, objects, tree: head.tree }, changes)
    const applied = await applyChanges(reader, head.tree, files, objects)
    results.push({ changed: applied.changed, refused: [...refused, ...applied.refused] })
    if (applied.tree === head.tree) continue
    const text = await commitObject({
      tree: applied.tree,
      parent: head.commit,
      author,
      committer,
      message: message(applied.changed, applied),
      time,
      sign,
    })
    head = { commit: objects.addCommit(text), tree: applied.tree }
  }
  return { head, objects, results }
}

function withNewObjects(
  reader: BranchReader,
  objects: Pick<NewObjects, 'blob' | 'tree'>,
): BranchReader {
  return {
    readTree: async (oid) => objects.tree(oid) ?? reader.readTree(oid),
    async readBlobs(oids) {
      const old = await reader.readBlobs(oids.filter((oid) => objects.blob(oid) === undefined))
      const all = new Map<string, Buffer>()
      for (const oid of oids) {
        const data = objects.blob(oid) ?? old.get(oid)
        if (data !== undefined) all.set(oid, data)
      }
      return all
    },
    async blobSizes(oids) {
      const sizes = await reader.blobSizes(oids.filter((oid) => objects.blob(oid) === undefined))
      for (const oid of oids) {
        const data = objects.blob(oid)
        if (data !== undefined) sizes.set(oid, data.length)
      }
      return sizes
    },
  }
}

interface Scene {
  readonly reader: BranchReader
  readonly objects: NewObjects
  readonly tree: string
}

/** Asks the functions among the changes what they make of the branch's files. One that fails is refused alone. */
async function decideContents(
  scene: Scene,
  changes: PendingCommit['changes'],
): Promise<{ files: FileContents; refused: RefusedChange[] }> {
  const files = new Map<string, string | null>()
  const refused: RefusedChange[] = []
  const there = await present(scene, changes)
  const needed = neededContents(there, changes)
  const sizes = await scene.reader.blobSizes([...new Set(needed.values())])
  const sizeAt = (path: string): number => sizes.get(needed.get(path) ?? '') ?? 0
  for (const batch of batchesBySize(changes, ([path]) => Math.min(sizeAt(path), maxFileBytes))) {
    const readable = batch.map(([path]) => path).filter((path) => sizeAt(path) <= maxFileBytes)
    const current = await currentContents(scene, needed, readable)
    for (const [path, change] of batch) {
      if (sizeAt(path) > maxFileBytes) {
        if (!acceptsLarge(change)) refused.push({ path, because: tooLarge })
        continue
      }
      const content = await decide(change, there.get(path), current.get(path))
      if (content instanceof Error) refused.push({ path, because: whyNot(content) })
      else if (content !== undefined) {
        files.set(path, await store(scene, content, there.get(path)))
      }
    }
  }
  return { files, refused }
}

/** Undefined: it stays as it is. */
async function decide(
  change: FileChange,
  file: FolderFile | undefined,
  current: Buffer | undefined,
): Promise<Buffer | null | undefined | Error> {
  if (change === null || Buffer.isBuffer(change)) return change
  try {
    if (typeof change === 'function') return await change(current)
    return await (isKnown(change, file) ? change.fromKnown() : change.from(current))
  } catch (error) {
    return error instanceof Error ? error : new Error('unknown')
  }
}

function isKnown(change: FileChange, file: FolderFile | undefined): boolean {
  return change !== null && 'knows' in change && file?.kind === 'file' && change.knows(file.oid)
}

const tooLarge = `a file of more than ${maxFileBytes / 1024 / 1024} MiB exists at this path`

function acceptsLarge(change: FileChange): boolean {
  return change !== null && 'acceptsLarge' in change && change.acceptsLarge?.() === true
}

function isMade(change: FileChange): boolean {
  return change !== null && !Buffer.isBuffer(change)
}

function whyNot({ name }: Error): string {
  return `its content could not be created: ${name}`
}

/** The name of the contents, which the repository will hold. */
async function store(
  { objects }: Scene,
  content: Buffer | null,
  existing: FolderFile | undefined,
): Promise<string | null> {
  if (content === null) return null
  const blob = gitObject('blob', content)
  if (blob.oid !== existing?.oid) await objects.addBlob(blob)
  return blob.oid
}

function present(
  { reader, tree }: Scene,
  changes: PendingCommit['changes'],
): Promise<ReadonlyMap<string, FolderFile>> {
  const possible = [...changes.keys()].filter((path) => pathProblem(path) === undefined)
  return findFiles(reader, tree, possible)
}

/** The ids of the contents that the changes depend on, by path. */
function neededContents(
  there: ReadonlyMap<string, FolderFile>,
  changes: PendingCommit['changes'],
): Map<string, string> {
  const oids = new Map<string, string>()
  for (const [path, change] of changes) {
    const file = isMade(change) ? there.get(path) : undefined
    if (file?.kind === 'file' && !isKnown(change, file)) oids.set(path, file.oid)
  }
  return oids
}

async function currentContents(
  { reader }: Scene,
  needed: ReadonlyMap<string, string>,
  paths: readonly string[],
): Promise<Map<string, Buffer>> {
  const oids = new Map(
    paths.flatMap((path) => {
      const oid = needed.get(path)
      return oid === undefined ? [] : [[path, oid] as const]
    }),
  )
  const contents = new Map<string, Buffer>()
  if (oids.size === 0) return contents
  const blobs = await reader.readBlobs([...new Set(oids.values())])
  for (const [path, oid] of oids) {
    const data = blobs.get(oid)
    if (data === undefined) throw new GitError('local', `the contents of ${oid} are missing`)
    contents.set(path, data)
  }
  return contents
}
