import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Connection, type OpenConnection, openConnection } from '../git-process/connection.ts'
import { createGit, type Git } from '../git-process/git.ts'
import {
  type GitConfig,
  type GitEnvironmentOptions,
  gitEnvironment,
} from '../git-process/git-environment.ts'
import { ObjectStore } from '../object-writer/object-store.ts'
import { maxFileBytes } from './file-limits.ts'
import { RemoteBranch, remoteName } from './remote-branch.ts'

export interface Timeouts {
  /** A conversation with the server. */
  readonly networkMs: number
  /** Reading or writing the local copy. */
  readonly localMs: number
}

interface LocalRepositoryOptions {
  /** Used by nobody else. Emptied at the start, and may be removed at any time. */
  readonly directory: string
  readonly connection: Connection
  readonly branch: string
  /** The PATH in which programs are searched. */
  readonly path: string
  readonly timeouts: Timeouts
  readonly signal: AbortSignal
}

/**
 * A bare repository with what is needed of a branch: its commit and trees, and file contents only once they are
 * requested.
 */
export interface LocalRepository {
  readonly store: ObjectStore
  readonly remote: RemoteBranch
  close(): Promise<void>
}

/**
 * Opens a new local repository. An existing one is never reused: after a crash it could hold half-written objects and
 * stale locks, and a shallow fetch restores what is worth having.
 */
export async function openLocalRepository(
  options: LocalRepositoryOptions,
): Promise<LocalRepository> {
  const { directory, connection, branch, path, timeouts, signal } = options
  await rm(directory, { recursive: true, force: true })
  const home = join(directory, 'home')
  const gitDirectory = join(directory, 'repository')
  await mkdir(home, { recursive: true, mode: 0o700 })
  const open = await openConnection(connection, {
    directory: join(directory, 'connection'),
    path,
    signal,
  })
  try {
    const common = {
      gitDirectory,
      home,
      path,
      protocols: open.protocols,
      variables: { TZ: 'UTC', GIT_ALLOC_LIMIT: String(largestAllocation) },
    }
    const secrets = open.secrets
    // No remote is configured for local commands, so none of them can start a fetch of its own for an object that is
    // missing.
    const local = createGit({
      env: gitEnvironment({ ...common, config: copyConfig }),
      cwd: directory,
      secrets,
    })
    await local.run(['init', '--quiet', '--bare', '--template=', gitDirectory], {
      timeoutMs: timeouts.localMs,
      signal,
    })
    const store = new ObjectStore(local, gitDirectory, timeouts.localMs)
    const remote = new RemoteBranch({
      git: remoteGit(open, { ...common, cwd: directory, config: partialCloneConfig }),
      // Without the promisor settings: with them, git would fetch the earlier contents of every replaced file, only to
      // send the new contents as a delta.
      pushGit: remoteGit(open, { ...common, cwd: directory, config: [] }),
      branch,
      env: open.env,
      secrets,
      timeoutMs: timeouts.networkMs,
    })
    return {
      store,
      remote,
      async close() {
        store.close()
        await open.close()
      },
    }
  } catch (error) {
    await open.close()
    throw error
  }
}

/**
 * Git fails if it needs more bytes at once, instead of taking the memory of the whole process group: a server can send
 * differences of contents of any size, which git puts together in memory.
 */
const largestAllocation = 128 * 1024 * 1024

const copyConfig: GitConfig = [
  // The local copy can be recreated at any time, so waiting for the disk gains nothing.
  ['core.fsync', 'none'],
  ['core.compression', '1'],
  // Without it, git holds the whole content of a fetched file in memory.
  ['core.bigFileThreshold', String(maxFileBytes)],
  // Single objects are read once, by the next push.
  ['core.looseCompression', '0'],
  ['http.lowSpeedLimit', '100'],
  ['http.lowSpeedTime', '30'],
  // A commit is sent as one request; with a smaller buffer curl asks the server twice.
  ['http.postBuffer', '16777216'],
]

const partialCloneConfig: GitConfig = [
  [`remote.${remoteName}.promisor`, 'true'],
  [`remote.${remoteName}.partialclonefilter`, 'blob:none'],
]

function remoteGit(
  { url, config, secrets }: OpenConnection,
  { cwd, config: more = [], ...options }: GitEnvironmentOptions & { readonly cwd: string },
): Git {
  const remote = [`remote.${remoteName}.url`, url.href] as const
  const env = gitEnvironment({ ...options, config: [...copyConfig, ...config, remote, ...more] })
  return createGit({ env, cwd, secrets })
}
