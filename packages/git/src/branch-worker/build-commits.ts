import { commitObject, type Identity } from '../commit/commit-object.ts'
import { GitError } from '../git-process/git-error.ts'
import {
  type AppliedChanges,
  applyChanges,
  type FileContents,
  type RefusedChange,
  type TreeReader,
} from '../object-writer/apply-changes.ts'
import { EMPTY_TREE, type GitObject, gitObject } from '../object-writer/git-object.ts'
import { pathProblem } from '../object-writer/repository-path.ts'
import { findFiles } from './folder.ts'
import type { PendingCommit } from './pending-changes.ts'

export interface Position {
  /** Undefined before the first commit of a repository. */
  readonly commit: string | undefined
  readonly tree: string
}

export const NOTHING: Position = { commit: undefined, tree: EMPTY_TREE }

/** Reads objects of the branch; contents that are not here are brought from the server. */
export interface BranchReader extends TreeReader {
  readBlobs(oids: readonly string[]): Promise<Map<string, Buffer>>
}

export interface BuildOptions {
  readonly reader: BranchReader
  readonly base: Position
  readonly pending: readonly PendingCommit[]
  readonly committer: Identity
  readonly time: Date
  readonly sign: ((payload: Buffer) => Promise<string>) | undefined
}

export interface BuiltCommits {
  readonly head: Position
  /** What the repository must hold before `head` can be pushed. */
  readonly objects: ReadonlyMap<string, GitObject>
  /** In the order of the pending commits. */
  readonly results: readonly Omit<AppliedChanges, 'tree'>[]
}

/** Puts pending changes on top of a commit, one commit for each owner whose files really change. */
export const buildCommits = async (options: BuildOptions): Promise<BuiltCommits> => {
  const { base, pending, committer, time, sign } = options
  const objects = new Map<string, GitObject>()
  const reader = withNewObjects(options.reader, objects)
  const results: Omit<AppliedChanges, 'tree'>[] = []
  let head = base
  for (const { changes, author = committer, message } of pending) {
    const { files, refused } = await decideContents(reader, head.tree, changes)
    const applied = await applyChanges(reader, head.tree, files, objects)
    results.push({ changed: applied.changed, refused: [...refused, ...applied.refused] })
    if (applied.tree === head.tree) continue
    const text = await commitObject({
      tree: applied.tree,
      parent: head.commit,
      author,
      committer,
      message: message(applied.changed),
      time,
      sign,
    })
    const commit = gitObject('commit', text)
    objects.set(commit.oid, commit)
    head = { commit: commit.oid, tree: applied.tree }
  }
  return { head, objects, results }
}

const withNewObjects = (
  reader: BranchReader,
  objects: ReadonlyMap<string, GitObject>,
): BranchReader => ({
  readTree: async (oid) => objects.get(oid)?.data ?? reader.readTree(oid),
  async readBlobs(oids) {
    const old = await reader.readBlobs(oids.filter((oid) => !objects.has(oid)))
    const all = new Map<string, Buffer>()
    for (const oid of oids) {
      const data = objects.get(oid)?.data ?? old.get(oid)
      if (data !== undefined) all.set(oid, data)
    }
    return all
  },
})

/** Asks the functions among the changes what they make of the branch's files. One that fails is refused alone. */
const decideContents = async (
  reader: BranchReader,
  tree: string,
  changes: PendingCommit['changes'],
): Promise<{ files: FileContents; refused: RefusedChange[] }> => {
  const files = new Map<string, Buffer | null>()
  const refused: RefusedChange[] = []
  const current = await currentContents(reader, tree, changes)
  for (const [path, change] of changes) {
    if (typeof change !== 'function') {
      files.set(path, change)
      continue
    }
    try {
      files.set(path, await change(current.get(path)))
    } catch (error) {
      const because = error instanceof Error ? error.name : 'an unknown error'
      refused.push({ path, because: `its contents could not be made: ${because}` })
    }
  }
  return { files, refused }
}

const currentContents = async (
  reader: BranchReader,
  tree: string,
  changes: PendingCommit['changes'],
): Promise<Map<string, Buffer>> => {
  const wanted = [...changes]
    .filter(([path, change]) => typeof change === 'function' && pathProblem(path) === undefined)
    .map(([path]) => path)
  const oids = new Map<string, string>()
  for (const [path, { kind, oid }] of await findFiles(reader, tree, wanted)) {
    if (kind === 'file') oids.set(path, oid)
  }
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
