import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Connection } from '../git-process/connection.ts'
import { openLocalRepository } from './local-repository.ts'

interface RemoteInspection {
  /** Undefined in an empty repository. */
  readonly defaultBranch: string | undefined
}

/** Checks that the server accepts the credentials. Throws a `GitError` if not; an empty repository is fine. */
export async function inspectRemote(
  connection: Connection,
  { path, timeoutMs = 30_000, signal }: { path: string; timeoutMs?: number; signal: AbortSignal },
): Promise<RemoteInspection> {
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
