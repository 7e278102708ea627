import { type Clock, systemClock } from './clock.ts'
import type { Connection } from './connection.ts'
import { createDiscovery, type Discovery } from './discovery.ts'
import type { HttpStream } from './http-exchange.ts'
import { createResourceClient, type ResourceClient } from './resource-client.ts'
import { defaultRetryPolicy, type RetryPolicy } from './retry.ts'
import { createReviewClient, type ReviewClient } from './reviews.ts'
import { createSubresourceClient, type SubresourceClient } from './subresources.ts'
import {
  createTransport,
  type RawAnswer,
  type RawRequest,
  type RequestOutcome,
} from './transport.ts'

/** One cluster as one user. Holds connections until it is closed. */
export interface KubeClient extends ResourceClient, SubresourceClient, ReviewClient {
  /** Where names without a namespace are looked for. */
  readonly namespace: string
  readonly clock: Clock
  readonly discovery: Discovery
  /** Any request; answers other than 2xx are thrown as KubeError. */
  request(request: RawRequest): Promise<RawAnswer>
  /** Any request whose answer is read as it comes. */
  stream(request: RawRequest): Promise<HttpStream>
  /** Cuts all connections, also those in use. */
  close(): void
}

export interface KubeClientOptions {
  /** `name/version`; more is added as Kubernetes clients do. Default `agents`. */
  readonly userAgent?: string
  /** Owner of the fields that are written. Default: the server takes the user agent's name. */
  readonly fieldManager?: string
  /** For one attempt. Default 60,000. */
  readonly timeoutMs?: number
  readonly retry?: Partial<RetryPolicy>
  /** Default: unless the server is on this machine. */
  readonly acceptGzip?: boolean
  readonly clock?: Clock
  readonly onWarning?: (text: string) => void
  readonly onRequest?: (outcome: RequestOutcome) => void
}

export function createKubeClient(
  connection: Connection,
  options: KubeClientOptions = {},
): KubeClient {
  const transport = createTransport(connection, {
    userAgent: userAgent(options.userAgent ?? 'agents'),
    clock: options.clock ?? systemClock,
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
