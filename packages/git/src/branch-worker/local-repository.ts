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
import { REMOTE, RemoteBranch } from './remote-branch.ts'

export interface Timeouts {
  /** A conversation with the server. */
  readonly networkMs: number
  /** Reading or writing the local copy. */
  readonly localMs: number
}

export interface LocalRepositoryOptions {
  /** Ours alone; emptied at the start, and it may vanish at any time. */
  readonly directory: string
  readonly connection: Connection
  readonly branch: string
  /** Where programs are searched. */
  readonly path: string
  readonly timeouts: Timeouts
  readonly signal: AbortSignal
}

/** A bare repository that holds what we need of a branch: trees and commits, and contents only where somebody asked. */
export interface LocalRepository {
  readonly store: ObjectStore
  readonly remote: RemoteBranch
  close(): Promise<void>
}

/**
 * Always made anew: a copy that a crash left behind could hold half-written objects and stale locks, and what is worth having of it is
 * one shallow fetch away.
 */
export const openLocalRepository = async (
  options: LocalRepositoryOptions,
): Promise<LocalRepository> => {
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
    const common = { gitDirectory, home, path, protocols: open.protocols }
    const secrets = open.secrets
    // No remote is configured for local commands, so none of them can start a fetch of its own for an object that is missing.
    const local = createGit({
      env: gitEnvironment({ ...common, config: [] }),
      cwd: directory,
      secrets,
    })
    await local.run(['init', '--quiet', '--bare', '--template=', gitDirectory], {
      timeoutMs: timeouts.localMs,
      signal,
    })
    const store = new ObjectStore(local, gitDirectory, timeouts.localMs)
    const remote = new RemoteBranch({
      git: remoteGit(open, { ...common, cwd: directory, config: PARTIAL }),
      // Not told that the server could be asked for more: for each file that is replaced it would fetch what the file held before, only
      // to send the new contents as what changed.
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

const PARTIAL: GitConfig = [
  [`remote.${REMOTE}.promisor`, 'true'],
  [`remote.${REMOTE}.partialclonefilter`, 'blob:none'],
]

const remoteGit = (
  { url, config, secrets }: OpenConnection,
  { cwd, ...options }: GitEnvironmentOptions & { readonly cwd: string },
): Git => {
  const remote = [`remote.${REMOTE}.url`, url.href] as const
  const env = gitEnvironment({ ...options, config: [...config, remote, ...options.config] })
  return createGit({ env, cwd, secrets })
}
