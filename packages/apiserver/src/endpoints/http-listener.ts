import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer, createTlsServer } from './http-modules.ts'

export interface Tls {
  /** PEM. */
  readonly key: string
  readonly certificate: string
  /** Signs client certificates; those of others are not looked at. */
  readonly clientCa?: string
}

export interface Listener {
  /** `https://127.0.0.1:6443` */
  readonly url: string
  readonly port: number
  /** Takes no new requests, lets those under way finish, and cuts what is left after `graceMs`. */
  close(graceMs: number): Promise<void>
}

const address = '127.0.0.1'

/** Listens on loopback alone. `port` 0 takes a free one. */
export async function listen(
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  port: number,
  tls: Tls | undefined,
): Promise<Listener> {
  const settings = {
    // Long label selectors come in the URL.
    maxHeaderSize: 256 * 1024,
    requestTimeout: 60_000,
    headersTimeout: 20_000,
    keepAliveTimeout: 90_000,
    noDelay: true,
  }
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    void handle(request, response)
  }
  const server: Server =
    tls === undefined
      ? createServer(settings, onRequest)
      : createTlsServer(
          {
            ...settings,
            key: tls.key,
            cert: tls.certificate,
            minVersion: 'TLSv1.2',
            ...(tls.clientCa === undefined
              ? {}
              : { ca: tls.clientCa, requestCert: true, rejectUnauthorized: false }),
          },
          onRequest,
        )
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, address, () => {
      server.removeListener('error', reject)
      resolve()
    })
  })
  const bound = (server.address() as AddressInfo).port
  return {
    url: `${tls === undefined ? 'http' : 'https'}://${address}:${bound}`,
    port: bound,
    close: (graceMs) => closeServer(server, graceMs),
  }
}

async function closeServer(server: Server, graceMs: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs)
    server.close(() => {
      clearTimeout(cut)
      resolve()
    })
    server.closeIdleConnections()
  })
}
