import { PodKind, ServiceAccountKind } from '../kind/builtin-kinds.ts'
import type { KindRef, ObjectKey } from '../kind/kind-ref.ts'
import { resourcePath, withQuery } from '../kind/resource-path.ts'
import type { KubeObject } from '../object.ts'
import type { RemoteCommand } from '../streaming/client/remote-command.ts'
import { loadStreaming } from '../streaming/load-streaming.ts'
import type { CallOptions, Transport } from '../transport/transport.ts'
import { createLineSplitter } from '../watch/line-splitter.ts'
import { type DeleteOptions, deleteBody, patchTypes } from './write-options.ts'

/** `autoscaling/v1` */
interface Scale extends KubeObject {
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

/** The output of a container. The iteration ends with the container, or with `close`. */
interface LogStream extends AsyncIterable<Buffer> {
  /**
   * The lines without their newlines, including an unterminated last one. Do not combine it with the iteration over
   * bytes.
   */
  lines(maxLineBytes?: number): AsyncGenerator<string>
  close(): void
}

interface TokenOptions extends CallOptions {
  readonly audiences?: readonly string[] | undefined
  readonly expirationSeconds?: number | undefined
  /** The token becomes invalid when this object is deleted. */
  readonly boundObjectRef?:
    | {
        readonly apiVersion: string
        readonly kind: string
        readonly name: string
        readonly uid?: string
      }
    | undefined
}

interface IssuedToken {
  readonly token: string
  readonly expirationTimestamp: string
}

interface ExecOptions extends CallOptions {
  readonly container: string
  readonly command: readonly string[]
  readonly stdin: boolean
  readonly tty: boolean
}

export interface SubresourceClient {
  /** Runs a command in a container of a pod. */
  podExec(key: ObjectKey, options: ExecOptions): Promise<RemoteCommand>
  getScale(kind: KindRef, key: ObjectKey, options?: CallOptions): Promise<Scale>
  setScale(kind: KindRef, key: ObjectKey, replicas: number, options?: CallOptions): Promise<Scale>
  podLog(key: ObjectKey, options?: LogOptions): Promise<LogStream>
  createToken(serviceAccount: ObjectKey, options?: TokenOptions): Promise<IssuedToken>
  /** Deletes a pod unless a disruption budget forbids it: the server then answers TooManyRequests. Not retried. */
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
      // Responses are text, errors are JSON.
      const accept = 'text/plain, application/json, */*'
      const stream = await transport.open({ signal, timeoutMs, retries, path, accept })
      return {
        [Symbol.asyncIterator]: () => stream.chunks[Symbol.asyncIterator](),
        lines: (maxLineBytes = defaultMaxLineBytes) => linesOf(stream.chunks, maxLineBytes),
        close: () => stream.close(),
      }
    },
    podExec: async (key, { container, command, stdin, tty, signal, timeoutMs }) => {
      const { openRemoteCommand, requestHeaders } = await loadStreaming()
      const query = new URLSearchParams({ container, stdout: 'true' })
      for (const word of command) query.append('command', word)
      if (stdin) query.set('stdin', 'true')
      // A terminal has one output.
      query.set(tty ? 'tty' : 'stderr', 'true')
      const { headers, accept } = requestHeaders(['v5.channel.k8s.io'])
      const path = `${at(PodKind, key, 'exec')}?${query}`
      const answer = await transport.upgrade({ path, headers, signal, timeoutMs })
      if (answer.headers['sec-websocket-accept'] !== accept) {
        answer.socket.destroy()
        throw new Error('the server did not complete the WebSocket handshake')
      }
      return openRemoteCommand(answer.socket)
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
