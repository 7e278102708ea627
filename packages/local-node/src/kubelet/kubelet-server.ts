import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { handleUpgrades, StreamFailure } from '@agents/kube'
import type { Logger } from '@agents/log'
import { type KubeletRequests, routeRequest } from './route-request.ts'

export interface KubeletOptions {
  /** Default: any free port. */
  readonly port?: number
  /** Private key and certificate of the server, in PEM. */
  readonly key: string
  readonly certificate: string
  /** Certificate of the authority that signs client certificates, in PEM. */
  readonly clientAuthority: string
  /**
   * The common name in the client certificate of the API server. Certificates of other clients are refused, even if the
   * same authority signed them: the API server has checked the rights of its users, and nobody else has.
   */
  readonly clientName: string
}

interface KubeletDependencies extends KubeletRequests {
  readonly log: Logger
}

export interface KubeletServer {
  readonly port: number
  stop(): Promise<void>
}

/**
 * The part of a kubelet's API that kube-apiserver calls for logs, exec, attach and port-forward of pods. Listens on
 * loopback only.
 */
export async function startKubeletServer(
  options: KubeletOptions,
  dependencies: KubeletDependencies,
): Promise<KubeletServer> {
  const { log } = dependencies
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    answer(request, response, options.clientName, dependencies).catch((error: unknown) => {
      log.error('request of the API server failed', { error })
      response.destroy()
    })
  }
  const tls = {
    key: options.key,
    cert: options.certificate,
    ca: options.clientAuthority,
    requestCert: true,
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2' as const,
  }
  const server = createServer(tls, handle)
  const upgraded = handleUpgrades(server, handle)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
        upgraded.destroyAll()
      }),
  }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  clientName: string,
  dependencies: KubeletDependencies,
): Promise<void> {
  try {
    const { subject } = (request.socket as TLSSocket).getPeerCertificate()
    if (subject?.CN !== clientName) throw new StreamFailure(403, 'Forbidden')
    await routeRequest(request, response, dependencies)
  } catch (error) {
    if (!(error instanceof StreamFailure) || response.headersSent) throw error
    response.writeHead(error.code, { 'content-type': 'text/plain; charset=utf-8' })
    response.end(`${error.message}\n`)
  }
}
