import {
  type Connection,
  createKubeClient,
  type KindRef,
  type KubeObject,
  type ObjectKey,
  parseJson,
  type RawRequest,
  resourcePath,
} from '@agents/kube'
import type { Caller } from './access/caller.ts'

/**
 * Acts on the cluster as the caller, with the caller's own token: the API server decides, checks and records it as if
 * the caller had asked it directly. The control plane lends none of its own rights.
 */
export class CallerClient {
  readonly #client

  constructor({ server, namespace, tls }: Connection, userAgent: string) {
    // Without the credentials of the control plane, a client certificate above all: a request that lost its token
    // must be anonymous.
    const connection = { server, namespace, ...(tls && { tls }) }
    this.#client = createKubeClient(connection, { userAgent, timeoutMs: 30_000 })
  }

  async get<T extends KubeObject>(
    caller: Caller,
    kind: KindRef<T>,
    key: ObjectKey,
    signal: AbortSignal,
  ): Promise<T> {
    return (await this.#json(caller, { path: resourcePath(kind, key), signal })) as T
  }

  async #json(caller: Caller, request: RawRequest): Promise<unknown> {
    const { bytes } = await this.#client.request(asCaller(caller, request))
    return parseJson(bytes.toString('utf8'))
  }

  close(): void {
    this.#client.close()
  }
}

function asCaller(caller: Caller, request: RawRequest): RawRequest {
  return { ...request, headers: { ...request.headers, authorization: caller.authorization() } }
}
