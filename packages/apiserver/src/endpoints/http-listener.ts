import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { handleUpgrades, isWebSocketRequest } from '@agents/kube'
import { createServer, createTlsServer } from './http-modules.ts'

export interface Tls {
  /** Private key in PEM. */
  readonly key: string
  readonly certificate: string
  /** CA of client certificates. Certificates of other CAs are ignored. */
  readonly clientCa?: string
}

export interface Listener {
  /** `https://127.0.0.1:6443` */
  readonly url: string
  readonly port: number
  /** Stops accepting requests, waits for running ones, and closes the remaining connections after `graceMs`. */
  close(graceMs: number): Promise<void>
}

const address = '127.0.0.1'

/** Paths whose requests leave HTTP. */
const upgradable = /^[^?]*\/(?:exec|attach|portforward)(?:\?|$)/
/** Watches, which a WebSocket can carry. */
const watches = /[?&]watch=(?:1|t|true)(?:&|$)|^\/apis?\/(?:[^/?]+\/){1,2}watch\//i

/** Listens on loopback only. `port` 0 picks a free port. */
export async function listen(
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  port: number,
  tls: Tls | undefined,
): Promise<Listener> {
  const settings = {
    // Long label selectors are part of the URL.
    maxHeaderSize: 256 * 1024,
    requestTimeout: 60_000,
    headersTimeout: 20_000,
    keepAliveTimeout: 90_000,
    noDelay: true,
    // Other requests may name an upgrade too, which is ignored: they are answered as plain HTTP.
    shouldUpgradeCallback: ({ url = '', headers, method }: IncomingMessage) =>
      upgradable.test(url) ||
      (method === 'GET' && isWebSocketRequest(headers) && watches.test(url)),
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
  const upgraded = handleUpgrades(server, onRequest)
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
    close: (graceMs) => {
      upgraded.destroyAll()
      return closeServer(server, graceMs)
    },
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
