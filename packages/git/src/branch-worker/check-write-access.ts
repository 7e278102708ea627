import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Connection } from '../git-process/connection.ts'
import { openLocalRepository } from './local-repository.ts'

/**
 * Throws a `GitError` unless the server lets these credentials push. Nothing is written: a dry run ends after the
 * server has accepted the credentials for `git-receive-pack`. Rules for single branches and hooks are not evaluated by
 * it.
 */
export async function checkWriteAccess(
  connection: Connection,
  { path, timeoutMs, signal }: { path: string; timeoutMs: number; signal: AbortSignal },
): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'agents-git-'))
  try {
    const timeouts = { networkMs: timeoutMs, localMs: timeoutMs }
    const options = { directory, connection, branch: 'main', path, timeouts, signal }
    const { remote, close } = await openLocalRepository(options)
    try {
      // Reading comes first, so that wrong credentials give the same message as anywhere else.
      await remote.tips(signal)
      await remote.dryPush(signal)
    } finally {
      await close()
    }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
