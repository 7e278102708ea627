import { rm } from 'node:fs/promises'
import type { Server } from 'node:net'
import { join } from 'node:path'
import { publishSocket } from '../../run-contract/repository-plan.ts'
import { reachable } from '../submission/socket-path.ts'

/**
 * Listens on the socket of the publisher, which the runner, another user, connects to; nobody else mounts the folder.
 * The socket is created with its mode: a chmod afterwards would follow a link that the agent has put in its place.
 */
export async function listen(server: Server, folder: string): Promise<void> {
  await rm(join(folder, publishSocket), { force: true })
  const short = await reachable(folder)
  const listening = new Promise<void>((resolve) => server.once('listening', resolve))
  // The socket is bound before `listen` returns, so that nothing else is created with this mask.
  const before = process.umask(0o111)
  try {
    server.listen(join(short.folder, publishSocket))
  } finally {
    process.umask(before)
  }
  await listening
  await short.release()
}
