import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ApiServer, ApiServerOptions } from '@agents/apiserver'
import { startApiServer } from '@agents/apiserver'
import type { PodStreams } from '@agents/kube'
import { createPodLogs } from '@agents/local-node'
import type { Logger } from '@agents/log'
import { CommandFailure } from '../cli/command-failure.ts'
import { platformUser } from './platform-user.ts'
import { lastPort, type StateFolder } from './state-folder.ts'

interface ServerOptions {
  /** If undefined: the last port, 6443, or any free one. 0 means any free one. */
  readonly port: number | undefined
  readonly log: Logger
  /** Bearer token of the platform itself, which thus has a user of its own. */
  readonly platformToken: string
  readonly onWrite: NonNullable<ApiServerOptions['onWrite']>
  readonly onFatal: (error: Error) => void
  readonly podStreams: PodStreams
}

/** As kube-apiserver's. */
const usualPort = 6443

export async function startServer(folder: StateFolder, options: ServerOptions): Promise<ApiServer> {
  await mkdir(folder.cluster, { recursive: true, mode: 0o700 })
  const start = (port: number): Promise<ApiServer> =>
    startApiServer({
      dataDir: folder.cluster,
      certDir: join(folder.cluster, 'pki'),
      port,
      logger: options.log.with({ part: 'apiserver' }),
      podLogs: createPodLogs(folder.node),
      staticTokens: new Map([[options.platformToken, platformUser]]),
      onWrite: options.onWrite,
      podStreams: options.podStreams,
      onFatal: options.onFatal,
    })
  try {
    if (options.port !== undefined) return await start(options.port)
    const port = (await lastPort(folder.kubeconfig)) ?? usualPort
    return await start(port).catch((error: unknown) => {
      if (isTaken(error)) return start(0)
      throw error
    })
  } catch (error) {
    throw explainStartFailure(error, folder, options.port)
  }
}

/** Whether another process uses the port. */
export function isTaken(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
}

function explainStartFailure(
  cause: unknown,
  { root }: StateFolder,
  port: number | undefined,
): unknown {
  if (isTaken(cause)) {
    const advice = [
      'Choose another port with --secure-port, or omit the flag to use any free port.',
    ]
    return new CommandFailure(`port ${port} is already in use`, { advice, cause })
  }
  if ((cause as Error).name === 'StoreLockedError') {
    const advice = ['Wait until it has stopped, or choose another folder with --state-dir.']
    return new CommandFailure(`${root} is in use by another process`, { advice, cause })
  }
  if ((cause as NodeJS.ErrnoException).code === 'EACCES') {
    const advice = ['Ports below 1024 need privileges: choose a higher port.']
    return new CommandFailure(`permission denied for port ${port}`, { advice, cause })
  }
  return cause
}
