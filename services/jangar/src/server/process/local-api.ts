import { systemClock } from '@agents/controller'
import manifest from '../../../package.json' with { type: 'json' }
import { loopbackOrigins } from '../http/browser-request.ts'
import { type ServeApiPorts, serveApi } from '../http/serve-api.ts'
import type { StatusSettings } from '../http/status-reader.ts'
import { statusForApi } from './status-ports.ts'

type LocalApiOptions = Pick<
  ServeApiPorts,
  | 'listen'
  | 'connection'
  | 'client'
  | 'informers'
  | 'log'
  | 'artifacts'
  | 'archive'
  | 'audit'
  | 'deliveries'
  | 'webhooks'
  | 'consoleDir'
> & {
  /** Called if the API ends without having been stopped. */
  readonly onFailure: (error: unknown) => void
}

export interface LocalApi {
  readonly url: string
  readonly port: number
  stop(): Promise<void>
}

/** Serves the HTTP API inside a process that does other things too, for all namespaces. */
export async function startLocalApi({ onFailure, ...options }: LocalApiOptions): Promise<LocalApi> {
  const end = new AbortController()
  const server = serveApi({
    ...options,
    version: manifest.version,
    namespaces: ['*'],
    browsers: { origins: loopbackOrigins },
    readiness: {},
    controllers: { pid: process.pid },
    status: localStatus(options),
    stopping: end.signal,
    clock: systemClock,
    // People wait for the end of the platform.
    drainMs: 2_000,
    // A delivery must find its source: senders do not repeat what is answered with 503.
    opensAtOnce: options.webhooks !== undefined,
  })
  await server.start()
  const running = server.run(end.signal)
  running.catch(onFailure)
  return {
    url: server.url,
    port: server.port,
    stop: async () => {
      end.abort()
      await running
    },
  }
}

/** The controllers run in the same process, without leader election. */
function localStatus(options: Omit<LocalApiOptions, 'onFailure'>): StatusSettings {
  const { client, informers, archive, log } = options
  const ports = {
    ...{ client, log, clock: systemClock, lease: undefined, runsControllers: true },
    namespaces: ['*'],
    cachesFilled: () => informers.all().every((informer) => informer.hasSynced()),
    database: archive && (async () => void (await archive.namespaces())),
  }
  return statusForApi(ports, { enabled: false, address: '' })
}
