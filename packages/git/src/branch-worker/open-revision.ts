import { join } from 'node:path'
import { GitError } from '../git-error.ts'
import type { Connection } from '../git-process/connection.ts'
import { folderPath } from '../object-writer/repository-path.ts'
import { blobSizes } from './blob-sizes.ts'
import { checkBranchName } from './branch-name.ts'
import { findRevision } from './find-revision.ts'
import { type FolderFile, listFolder } from './list-folder.ts'
import { type LocalRepository, openLocalRepository, type Timeouts } from './local-repository.ts'

interface RevisionOptions {
  readonly connection: Connection
  readonly branch: string
  /** See `findRevision`. If omitted, the tip of the branch. */
  readonly revision?: string | undefined
  /** For a temporary copy. Must not exist. The caller removes it. */
  readonly directory: string
  /** Where `git` and `ssh` are searched. */
  readonly path: string
  readonly signal: AbortSignal
  readonly timeouts?: Timeouts
}

/** The content of a branch at one commit. */
interface RevisionReader {
  readonly commit: string
  /** The files below a folder, by their path from the root of the repository. */
  list(folder: string): Promise<ReadonlyMap<string, FolderFile>>
  /** The contents of files that `list` returned. Larger ones are left out, and never in memory. */
  read(oids: readonly string[], mostBytes: number): Promise<ReadonlyMap<string, Buffer>>
  close(): Promise<void>
}

const defaultTimeouts: Timeouts = { networkMs: 120_000, localMs: 60_000 }

/** Opens a commit of a branch for reading. Throws a `GitError` if it cannot be found or the server does not answer. */
export async function openRevision(options: RevisionOptions): Promise<RevisionReader> {
  const { branch, revision, signal } = options
  checkBranchName(branch)
  const found = revision === undefined ? undefined : await find(options, revision)
  const repository = await open(options, 'content')
  const { store, remote } = repository
  try {
    if (found !== undefined) await remote.fetchCommit(found, signal)
    const commit = found ?? (await tipOf(repository, options))
    const tree = await store.treeOf(commit)
    return {
      commit,
      list: (folder) => listFolder(store, tree, folderPath(folder)),
      read: (oids, mostBytes) => readSmall(repository, oids, mostBytes, signal),
      close: () => repository.close(),
    }
  } catch (error) {
    await repository.close()
    throw error
  }
}

/** The history is fetched to a copy of its own: one that knows a commit would not fetch its content any more. */
async function find(options: RevisionOptions, revision: string): Promise<string> {
  const { branch, signal } = options
  const repository = await open(options, 'history')
  try {
    await existing(repository, options)
    return findRevision(revision, branch, await repository.remote.history(signal))
  } finally {
    await repository.close()
  }
}

/**
 * The commit before the last one that deleted a file with one of these paths; see `RemoteBranch.beforeDeletion`.
 * Undefined if there is none.
 */
export async function revisionBeforeDeletion(
  paths: readonly string[],
  options: Omit<RevisionOptions, 'revision'>,
): Promise<string | undefined> {
  checkBranchName(options.branch)
  const repository = await open(options, 'deletions')
  try {
    await existing(repository, options)
    return await repository.remote.beforeDeletion(paths, options.signal)
  } finally {
    await repository.close()
  }
}

function open(options: RevisionOptions, folder: string): Promise<LocalRepository> {
  const { directory, timeouts = defaultTimeouts } = options
  return openLocalRepository({ ...options, timeouts, directory: join(directory, folder) })
}

async function tipOf(repository: LocalRepository, options: RevisionOptions): Promise<string> {
  await existing(repository, options)
  return repository.remote.fetch(repository.remote.ref, options.signal)
}

async function existing(
  { remote }: LocalRepository,
  { branch, signal }: RevisionOptions,
): Promise<void> {
  const tips = await remote.tips(signal)
  if (tips.branch !== undefined) return
  throw new GitError('not-found', `branch ${branch} does not exist in the repository`)
}

async function readSmall(
  repository: LocalRepository,
  oids: readonly string[],
  mostBytes: number,
  signal: AbortSignal,
): Promise<Map<string, Buffer>> {
  const wanted = [...new Set(oids)]
  const found = new Map<string, Buffer>()
  for (const [oid, size] of await blobSizes(repository, wanted, signal)) {
    const data = size > mostBytes ? undefined : await repository.store.readBlob(oid)
    if (data !== undefined) found.set(oid, data)
  }
  return found
}
