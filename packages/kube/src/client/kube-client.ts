import type { Clock } from '../clock/clock.ts'
import { type Pacing, systemPacing } from '../clock/pacing.ts'
import type { Connection } from '../transport/connection.ts'
import type { HttpStream } from '../transport/http-exchange.ts'
import { defaultRetryPolicy, type RetryPolicy } from '../transport/retry.ts'
import {
  createTransport,
  type RawAnswer,
  type RawRequest,
  type RequestOutcome,
} from '../transport/transport.ts'
import { createDiscovery, type Discovery } from './discovery.ts'
import { createResourceClient, type ResourceClient } from './resource-client.ts'
import { createReviewClient, type ReviewClient } from './reviews.ts'
import { createSubresourceClient, type SubresourceClient } from './subresources.ts'

/** A client for one cluster and one user. Keeps connections open until it is closed. */
export interface KubeClient extends Pacing, ResourceClient, SubresourceClient, ReviewClient {
  /** The default namespace. */
  readonly namespace: string
  readonly discovery: Discovery
  /** Sends any request. Responses other than 2xx are thrown as KubeError. */
  request(request: RawRequest): Promise<RawAnswer>
  /** Sends any request and streams the response. */
  stream(request: RawRequest): Promise<HttpStream>
  /** Closes all connections, including those in use. */
  close(): void
}

export interface KubeClientOptions {
  /** `name/version`; platform details are appended as Kubernetes clients do. Default `agents`. */
  readonly userAgent?: string
  /** The manager of the fields that are written. Default: the server uses the name in the user agent. */
  readonly fieldManager?: string
  /** The timeout of one attempt. Default 60,000. */
  readonly timeoutMs?: number
  readonly retry?: Partial<RetryPolicy>
  /** Default: true, unless the server is on this machine. */
  readonly acceptGzip?: boolean
  readonly clock?: Clock
  /** In [0, 1), for jitter. Default Math.random. */
  readonly random?: () => number
  readonly onWarning?: (text: string) => void
  readonly onRequest?: (outcome: RequestOutcome) => void
}

export function createKubeClient(
  connection: Connection,
  options: KubeClientOptions = {},
): KubeClient {
  const transport = createTransport(connection, {
    userAgent: userAgent(options.userAgent ?? 'agents'),
    clock: options.clock ?? systemPacing.clock,
    random: options.random ?? systemPacing.random,
    timeoutMs: options.timeoutMs ?? 60_000,
    retry: { ...defaultRetryPolicy, ...options.retry },
    onWarning: options.onWarning,
    onRequest: options.onRequest,
  })
  const acceptGzip = options.acceptGzip ?? !isLoopback(connection.server)
  return {
    ...createResourceClient(transport, { fieldManager: options.fieldManager, acceptGzip }),
    ...createSubresourceClient(transport),
    ...createReviewClient(transport),
    namespace: connection.namespace,
    clock: transport.clock,
    random: transport.random,
    discovery: createDiscovery(transport),
    request: (request) => transport.send(request),
    stream: (request) => transport.open(request),
    close: () => transport.close(),
  }
}

function userAgent(name: string): string {
  return `${name} (${process.platform}/${process.arch}) kubernetes/client`
}

/** Compressing for a peer on the same machine costs both sides time and saves nothing. */
function isLoopback(server: string): boolean {
  const { hostname } = new URL(server)
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')
}
