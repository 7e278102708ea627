import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ApiServer } from '@agents/apiserver'
import { startApiServer } from '@agents/apiserver'
import { createPodLogs } from '@agents/local-node'
import type { Logger } from '@agents/log'
import { CommandFailure } from '../cli/command-failure.ts'
import { lastPort, type StateFolder } from './state-folder.ts'

export interface ServerWishes {
  /** Undefined: the last one, or the usual one, or any that is free. 0: any. */
  readonly port: number | undefined
  readonly log: Logger
  readonly onFatal: (error: Error) => void
}

/** As kube-apiserver's. */
const usualPort = 6443

export async function startServer(folder: StateFolder, wishes: ServerWishes): Promise<ApiServer> {
  await mkdir(folder.cluster, { recursive: true, mode: 0o700 })
  const start = (port: number): Promise<ApiServer> =>
    startApiServer({
      dataDir: folder.cluster,
      certDir: join(folder.cluster, 'pki'),
      port,
      logger: wishes.log.with({ part: 'apiserver' }),
      podLogs: createPodLogs(folder.node),
      onFatal: wishes.onFatal,
    })
  try {
    if (wishes.port !== undefined) return await start(wishes.port)
    const port = (await lastPort(folder.kubeconfig)) ?? usualPort
    return await start(port).catch((error: unknown) => {
      if (isTaken(error)) return start(0)
      throw error
    })
  } catch (error) {
    throw inWords(error, folder, wishes.port)
  }
}

function isTaken(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
}

function inWords(cause: unknown, { root }: StateFolder, port: number | undefined): unknown {
  if (isTaken(cause)) {
    const advice = [
      'Name another with --secure-port, or leave the flag out and any free one is taken.',
    ]
    return new CommandFailure(`another program listens on port ${port} already`, { advice, cause })
  }
  if ((cause as Error).name === 'StoreLockedError') {
    const advice = ['Wait until it has stopped, or choose another folder with --state-dir.']
    return new CommandFailure(`another process uses ${root}`, { advice, cause })
  }
  if ((cause as NodeJS.ErrnoException).code === 'EACCES') {
    const advice = [
      'Ports below 1024 need rights that you should not give it: choose a higher one.',
    ]
    return new CommandFailure(`port ${port} may not be used`, { advice, cause })
  }
  return cause
}
