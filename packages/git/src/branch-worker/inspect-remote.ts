import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Connection } from '../git-process/connection.ts'
import { openLocalRepository } from './local-repository.ts'

export interface RemoteInspection {
  /** Undefined in an empty repository. */
  readonly defaultBranch: string | undefined
}

/** Asks a server whether it lets us in. What it does not say is thrown as a `GitError`; an empty repository is a good answer. */
export const inspectRemote = async (
  connection: Connection,
  { path, timeoutMs = 30_000, signal }: { path: string; timeoutMs?: number; signal: AbortSignal },
): Promise<RemoteInspection> => {
  const directory = await mkdtemp(join(tmpdir(), 'agents-git-'))
  try {
    const timeouts = { networkMs: timeoutMs, localMs: timeoutMs }
    const branch = 'main'
    const options = { directory, connection, branch, path, timeouts, signal }
    const repository = await openLocalRepository(options)
    try {
      const { defaultBranch } = await repository.remote.tips(signal)
      return { defaultBranch: defaultBranch?.ref.replace(/^refs\/heads\//, '') }
    } finally {
      await repository.close()
    }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
