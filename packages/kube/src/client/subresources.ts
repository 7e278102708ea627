import { PodKind, ServiceAccountKind } from '../kind/builtin-kinds.ts'
import type { KindRef, ObjectKey } from '../kind/kind-ref.ts'
import { resourcePath, withQuery } from '../kind/resource-path.ts'
import type { KubeObject } from '../object.ts'
import { createLineSplitter } from '../watch/line-splitter.ts'
import type { CallOptions, Transport } from './transport.ts'
import { type DeleteOptions, deleteBody, patchTypes } from './write-options.ts'

/** `autoscaling/v1` */
export interface Scale extends KubeObject {
  spec?: { replicas?: number }
  status?: { replicas: number; selector?: string }
}

export interface LogOptions extends CallOptions {
  readonly container?: string | undefined
  readonly follow?: boolean | undefined
  readonly previous?: boolean | undefined
  readonly timestamps?: boolean | undefined
  readonly tailLines?: number | undefined
  readonly sinceSeconds?: number | undefined
  readonly sinceTime?: string | undefined
  readonly limitBytes?: number | undefined
}

/** A container's output as it comes. The iteration ends with the container, or with `close`. */
export interface LogStream extends AsyncIterable<Buffer> {
  /** Without newlines; a last line that has none counts. Not beside the iteration over bytes. */
  lines(maxLineBytes?: number): AsyncGenerator<string>
  close(): void
}

export interface TokenOptions extends CallOptions {
  readonly audiences?: readonly string[] | undefined
  readonly expirationSeconds?: number | undefined
  /** The token is worth nothing once this object is gone. */
  readonly boundObjectRef?:
    | {
        readonly apiVersion: string
        readonly kind: string
        readonly name: string
        readonly uid?: string
      }
    | undefined
}

export interface IssuedToken {
  readonly token: string
  readonly expirationTimestamp: string
}

export interface SubresourceClient {
  getScale(kind: KindRef, key: ObjectKey, options?: CallOptions): Promise<Scale>
  setScale(kind: KindRef, key: ObjectKey, replicas: number, options?: CallOptions): Promise<Scale>
  podLog(key: ObjectKey, options?: LogOptions): Promise<LogStream>
  createToken(serviceAccount: ObjectKey, options?: TokenOptions): Promise<IssuedToken>
  /** Deletes a pod unless a disruption budget forbids it, which is answered with TooManyRequests and not retried. */
  evict(pod: ObjectKey, options?: DeleteOptions): Promise<void>
}

const defaultMaxLineBytes = 16 * 1024 * 1024

export function createSubresourceClient(transport: Transport): SubresourceClient {
  const at = (kind: KindRef, { namespace, name }: ObjectKey, subresource: string): string =>
    resourcePath(kind, { namespace, name, subresource })
  return {
    getScale: async (kind, key, options = {}) =>
      (await transport.sendJson({ ...options, path: at(kind, key, 'scale') })) as Scale,
    setScale: async (kind, key, replicas, options = {}) =>
      (await transport.sendJson({
        ...options,
        method: 'PATCH',
        path: at(kind, key, 'scale'),
        contentType: patchTypes.merge,
        body: { spec: { replicas } },
      })) as Scale,
    podLog: async (key, options = {}) => {
      const { signal, timeoutMs, retries, ...query } = options
      const path = withQuery(at(PodKind, key, 'log'), query)
      // Answers come as text, faults as JSON.
      const accept = 'text/plain, application/json, */*'
      const stream = await transport.open({ signal, timeoutMs, retries, path, accept })
      return {
        [Symbol.asyncIterator]: () => stream.chunks[Symbol.asyncIterator](),
        lines: (maxLineBytes = defaultMaxLineBytes) => linesOf(stream.chunks, maxLineBytes),
        close: () => stream.close(),
      }
    },
    createToken: async ({ namespace, name }, options = {}) => {
      const { audiences, expirationSeconds, boundObjectRef, ...call } = options
      const answer = await transport.sendJson({
        ...call,
        method: 'POST',
        path: at(ServiceAccountKind, { namespace, name }, 'token'),
        body: {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenRequest',
          spec: {
            audiences: audiences ?? [],
            ...(expirationSeconds !== undefined && { expirationSeconds }),
            ...(boundObjectRef !== undefined && { boundObjectRef }),
          },
        },
      })
      return (answer as { status: IssuedToken }).status
    },
    evict: async (pod, options = {}) => {
      const { signal, timeoutMs } = options
      await transport.send({
        signal,
        timeoutMs,
        retries: 0,
        method: 'POST',
        path: at(PodKind, pod, 'eviction'),
        body: {
          apiVersion: 'policy/v1',
          kind: 'Eviction',
          metadata: { namespace: pod.namespace, name: pod.name },
          deleteOptions: deleteBody(options),
        },
      })
    },
  }
}

async function* linesOf(
  chunks: AsyncIterable<Buffer>,
  maxLineBytes: number,
): AsyncGenerator<string> {
  const splitter = createLineSplitter(maxLineBytes)
  for await (const chunk of chunks) {
    for (const line of splitter.push(chunk)) yield line.toString('utf8')
  }
  if (splitter.pending === 0) return
  for (const line of splitter.push(Buffer.from('\n'))) yield line.toString('utf8')
}
