import type { CertificateFiles } from './certificate.ts'
import { HttpServer } from './http-server.ts'
import { cutResponse } from './http-version.ts'
import type { ApiPorts, OpenApi } from './open-api.ts'

export interface ServeApiPorts extends ApiPorts {
  readonly listen: {
    readonly host: string
    /** 0 selects a free port. */
    readonly port: number
    readonly tls: CertificateFiles | undefined
  }
  /** Whether its caches fill from the start. If omitted, the first request opens the API. */
  readonly opensAtOnce?: boolean
  readonly onOpen?: (api: OpenApi) => void
  /** Time limit for running requests during shutdown. Default 10 s, well within the shutdown timeout of the process. */
  readonly drainMs?: number
}

/**
 * A port with the HTTP API. Unless it opens at once, its code is loaded by the first request and costs nothing where
 * nobody asks.
 */
export function serveApi(ports: ServeApiPorts): HttpServer {
  const { listen, log, clock, drainMs = 10_000 } = ports
  let opening: Promise<OpenApi> | undefined
  let opened: OpenApi | undefined
  const open = async (): Promise<OpenApi> => {
    const { openApi } = await import('./open-api.ts')
    opened = openApi(ports)
    ports.onOpen?.(opened)
    return opened
  }
  return new HttpServer({
    ...listen,
    onStart: async () => {
      if (!ports.opensAtOnce) return
      opening ??= open()
      await opening
    },
    handler: (request, response) => {
      opening ??= open()
      opening.then(
        ({ handler }) => handler(request, response),
        (error: unknown) => {
          log.error('API cannot be opened', { error })
          cutResponse(response)
        },
      )
    },
    onStop: () => opened?.endStreams(),
    onStopped: () => opened?.close(),
    drainMs,
    log,
    clock,
  })
}
