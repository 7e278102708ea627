import {
  type Connection,
  createKubeClient,
  type KindRef,
  type KubeClient,
  type KubeObject,
  type ObjectKey,
  parseJson,
  type RawRequest,
  resourcePath,
  staticCredentials,
} from '@agents/kube'
import type { Caller } from './access/caller.ts'

export type Query = Readonly<Record<string, string | number | boolean | undefined>>

interface ObjectList<T extends KubeObject> {
  readonly metadata: {
    readonly continue?: string
    readonly resourceVersion?: string
    /** How many more there are than this page. Absent with selectors. */
    readonly remainingItemCount?: number
  }
  readonly items: readonly T[]
}

interface WriteOptions {
  /** Whether the request is checked in full, and nothing is stored. */
  readonly dryRun?: boolean
}

/** The manager of the fields that callers write. */
const fieldManager = 'agents-api'

/**
 * Acts on the cluster as the caller: with the caller's own token or, if a person signed in at an OpenID provider, by
 * impersonation. The API server decides, checks and records it as if the caller had asked it directly. The control
 * plane lends none of its own rights.
 */
export class CallerClient {
  readonly #connection: Connection
  readonly #options: { readonly userAgent: string; readonly timeoutMs: number }
  readonly #byToken
  readonly #byImpersonation

  constructor(connection: Connection, userAgent: string) {
    const options = { userAgent, timeoutMs: 30_000 }
    this.#connection = connection
    this.#options = options
    const { server, namespace, tls } = connection
    // Without the credentials of the control plane, a client certificate above all: a request that lost its token
    // must be anonymous.
    this.#byToken = createKubeClient({ server, namespace, ...(tls && { tls }) }, options)
    // Where a request loses whom it is for, it is for a user without rights.
    this.#byImpersonation = createKubeClient({ ...connection, impersonate: nobody }, options)
  }

  /** A client that acts as the caller, for what takes several requests. Whoever opens it closes it. */
  open(caller: Caller): KubeClient {
    const { server, namespace, tls } = this.#connection
    const authorization = caller.authorization()
    if (authorization !== undefined) {
      const credentials = staticCredentials({ authorization })
      return createKubeClient(
        { server, namespace, ...(tls && { tls }), credentials },
        this.#options,
      )
    }
    const impersonate = caller.impersonation() ?? nobody
    return createKubeClient({ ...this.#connection, impersonate }, this.#options)
  }

  async get<T extends KubeObject>(
    caller: Caller,
    kind: KindRef<T>,
    key: ObjectKey,
    signal: AbortSignal,
  ): Promise<T> {
    return (await this.#json(caller, { path: resourcePath(kind, key), signal })) as T
  }

  async list<T extends KubeObject>(
    caller: Caller,
    kind: KindRef<T>,
    namespace: string | undefined,
    query: Query,
    signal: AbortSignal,
  ): Promise<ObjectList<T>> {
    const path = withQuery(resourcePath(kind, { namespace }), query)
    return (await this.#json(caller, { path, signal })) as ObjectList<T>
  }

  /** Fields that the kind does not have are errors. */
  async create<T extends KubeObject>(
    caller: Caller,
    kind: KindRef<T>,
    namespace: string,
    body: object,
    signal: AbortSignal,
    options: WriteOptions = {},
  ): Promise<T> {
    const path = withQuery(resourcePath(kind, { namespace }), { ...strictly, ...dry(options) })
    return (await this.#json(caller, { method: 'POST', path, body, signal })) as T
  }

  /** Server-side apply. With `force`, fields of other managers are taken over. */
  async apply<T extends KubeObject>(
    caller: Caller,
    kind: KindRef<T>,
    key: ObjectKey,
    body: object,
    { force = false, ...options }: WriteOptions & { readonly force?: boolean },
    signal: AbortSignal,
  ): Promise<T> {
    const path = withQuery(resourcePath(kind, key), { ...strictly, force, ...dry(options) })
    const contentType = 'application/apply-patch+yaml'
    return (await this.#json(caller, { method: 'PATCH', path, body, contentType, signal })) as T
  }

  /** Replaces the object, unless it has another `resourceVersion` than the body. */
  async replace<T extends KubeObject>(
    caller: Caller,
    kind: KindRef<T>,
    key: ObjectKey,
    body: object,
    options: WriteOptions,
    signal: AbortSignal,
  ): Promise<T> {
    const path = withQuery(resourcePath(kind, key), { ...strictly, ...dry(options) })
    return (await this.#json(caller, { method: 'PUT', path, body, signal })) as T
  }

  async patch<T extends KubeObject>(
    caller: Caller,
    kind: KindRef<T>,
    key: ObjectKey,
    body: object,
    signal: AbortSignal,
  ): Promise<T> {
    const path = withQuery(resourcePath(kind, key), strictly)
    const contentType = 'application/merge-patch+json'
    return (await this.#json(caller, { method: 'PATCH', path, body, contentType, signal })) as T
  }

  async delete(caller: Caller, kind: KindRef, key: ObjectKey, signal: AbortSignal): Promise<void> {
    await this.#json(caller, { method: 'DELETE', path: resourcePath(kind, key), signal })
  }

  /** The bytes of a response, as the API server sends them. Closes the response when the iteration ends. */
  async stream(
    caller: Caller,
    path: string,
    query: Query,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Buffer>> {
    const request = { path: withQuery(path, query), accept: '*/*', signal }
    const opened = await this.#clientFor(caller).stream(asCaller(caller, request))
    async function* chunks(): AsyncGenerator<Buffer, void> {
      try {
        yield* opened.chunks
      } finally {
        opened.close()
      }
    }
    return chunks()
  }

  async #json(caller: Caller, request: RawRequest): Promise<unknown> {
    const { bytes } = await this.#clientFor(caller).request(asCaller(caller, request))
    return parseJson(bytes.toString('utf8'))
  }

  #clientFor(caller: Caller) {
    return caller.impersonation() === undefined ? this.#byToken : this.#byImpersonation
  }

  close(): void {
    this.#byToken.close()
    this.#byImpersonation.close()
  }
}

const nobody = { user: 'system:anonymous' }

const strictly = { fieldManager, fieldValidation: 'Strict' }

function dry({ dryRun = false }: WriteOptions): Query {
  return dryRun ? { dryRun: 'All' } : {}
}

function asCaller(caller: Caller, request: RawRequest): RawRequest {
  const authorization = caller.authorization()
  if (authorization === undefined) return { ...request, impersonate: caller.impersonation() }
  return { ...request, headers: { ...request.headers, authorization } }
}

function withQuery(path: string, query: Query): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== false && value !== '') parameters.set(name, String(value))
  }
  return parameters.size === 0 ? path : `${path}?${parameters}`
}
