import { formatApiVersion } from '../group-version.ts'
import type { KindRef, ObjectKey } from '../kind/kind-ref.ts'
import { resourcePath, withQuery } from '../kind/resource-path.ts'
import type { KubeList, KubeObject } from '../object.ts'
import { type WatchStream, watchStream } from '../watch/watch-stream.ts'
import {
  acceptOf,
  type ListOptions,
  type Scope,
  scopeQuery,
  type WatchOptions,
} from './list-options.ts'
import { isStatus } from './status.ts'
import type { CallOptions, RawRequest, Transport } from './transport.ts'
import {
  type ApplyOptions,
  type DeleteOptions,
  deleteBody,
  type Patch,
  patchTypes,
  type WriteOptions,
  writeQuery,
} from './write-options.ts'

/** The verbs of the API, for objects of any kind. Everything that fails is a KubeError, or the signal's reason. */
export interface ResourceClient {
  get<T extends KubeObject>(
    kind: KindRef<T>,
    key: ObjectKey,
    options?: CallOptions & { subresource?: string; resourceVersion?: string },
  ): Promise<T>
  /** One page: everything, unless `limit` says otherwise. */
  list<T extends KubeObject>(kind: KindRef<T>, options?: ListOptions): Promise<KubeList<T>>
  /** All pages of one consistent list. `limit` defaults to 500. */
  pages<T extends KubeObject>(kind: KindRef<T>, options?: ListOptions): AsyncGenerator<KubeList<T>>
  /** All objects, fetched page by page. */
  each<T extends KubeObject>(kind: KindRef<T>, options?: ListOptions): AsyncGenerator<T>
  /** Open once the server has agreed. */
  watch<T extends KubeObject>(kind: KindRef<T>, options?: WatchOptions): Promise<WatchStream<T>>
  create<T extends KubeObject>(
    kind: KindRef<T>,
    object: New<T>,
    options?: Omit<WriteOptions, 'subresource'>,
  ): Promise<T>
  /** Guarded by the resource version in the object. */
  update<T extends KubeObject>(kind: KindRef<T>, object: T, options?: WriteOptions): Promise<T>
  patch<T extends KubeObject>(
    kind: KindRef<T>,
    key: ObjectKey,
    patch: Patch,
    options?: WriteOptions,
  ): Promise<T>
  /** Server-side apply: creates or changes; the object holds exactly the fields that the manager wants to own. */
  apply<T extends KubeObject>(
    kind: KindRef<T>,
    object: Applied<T>,
    options?: ApplyOptions,
  ): Promise<T>
  /** The object as it is while something still keeps it, undefined when it is gone. */
  delete<T extends KubeObject>(
    kind: KindRef<T>,
    key: ObjectKey,
    options?: DeleteOptions,
  ): Promise<T | undefined>
  deleteCollection(kind: KindRef, scope: Scope, options?: DeleteOptions): Promise<void>
}

/** An object to create: apiVersion and kind follow from the kind; the name may be the server's to choose. */
export type New<T extends KubeObject> = Omit<T, 'apiVersion' | 'kind' | 'metadata' | 'status'> & {
  apiVersion?: string
  kind?: string
  metadata: Omit<T['metadata'], 'name'> & { name?: string }
  status?: T['status']
}

/** A part of an object, with its name. */
export type Applied<T extends KubeObject> = Partial<
  Omit<T, 'apiVersion' | 'kind' | 'metadata' | 'spec' | 'status'>
> & {
  apiVersion?: string
  kind?: string
  metadata: Partial<T['metadata']> & ObjectKey
  spec?: unknown
  status?: unknown
}

const pageSize = 500
const idleSlackMs = 30_000
const defaultMaxLineBytes = 64 * 1024 * 1024
/** The longest delay of a timer. */
const forever = 2 ** 31 - 1

export interface ResourceClientOptions {
  readonly fieldManager?: string | undefined
  /** Large lists may come compressed. */
  readonly acceptGzip: boolean
}

export function createResourceClient(
  transport: Transport,
  { fieldManager, acceptGzip }: ResourceClientOptions,
): ResourceClient {
  const send = <T>(request: RawRequest): Promise<T> => transport.sendJson(request) as Promise<T>

  const list = async <T extends KubeObject>(
    kind: KindRef<T>,
    options: ListOptions = {},
  ): Promise<KubeList<T>> => {
    const page = await send<KubeList<T>>({
      ...callOf(options),
      acceptGzip,
      accept: acceptOf(options, 'PartialObjectMetadataList'),
      path: withQuery(resourcePath(kind, { namespace: options.namespace }), {
        ...scopeQuery(options),
        limit: options.limit,
        continue: options.continue,
        resourceVersion: options.resourceVersion,
        resourceVersionMatch: options.resourceVersionMatch,
      }),
    })
    return withTypedItems(kind, page)
  }

  async function* pages<T extends KubeObject>(
    kind: KindRef<T>,
    options: ListOptions = {},
  ): AsyncGenerator<KubeList<T>> {
    let page = await list(kind, { limit: pageSize, ...options })
    yield page
    while (page.metadata.continue) {
      // A continuation has the resource version in its token and accepts no other.
      page = await list(kind, {
        limit: pageSize,
        ...options,
        resourceVersion: undefined,
        resourceVersionMatch: undefined,
        continue: page.metadata.continue,
      })
      yield page
    }
  }

  const write = <T extends KubeObject>(
    kind: KindRef<T>,
    key: Partial<ObjectKey>,
    options: ApplyOptions,
    request: Omit<RawRequest, 'path'>,
    query: { force?: boolean } = {},
  ): Promise<T> =>
    send({
      ...callOf(options),
      ...request,
      path: withQuery(
        resourcePath(kind, {
          namespace: key.namespace,
          name: key.name,
          subresource: options.subresource,
        }),
        { ...writeQuery(options, fieldManager), ...query },
      ),
    })

  return {
    get: (kind, { namespace, name }, options = {}) =>
      send({
        ...callOf(options),
        path: withQuery(resourcePath(kind, { namespace, name, subresource: options.subresource }), {
          resourceVersion: options.resourceVersion,
        }),
      }),
    list,
    pages,
    async *each(kind, options) {
      for await (const page of pages(kind, options)) yield* page.items
    },
    watch: async <T extends KubeObject>(kind: KindRef<T>, options: WatchOptions = {}) => {
      const { timeoutSeconds } = options
      const stream = await transport.open({
        ...callOf(options),
        accept: acceptOf(options, 'PartialObjectMetadata'),
        path: withQuery(resourcePath(kind, { namespace: options.namespace }), {
          watch: true,
          ...scopeQuery(options),
          resourceVersion: options.resourceVersion,
          resourceVersionMatch: options.resourceVersionMatch,
          sendInitialEvents: options.sendInitialEvents,
          allowWatchBookmarks: options.allowWatchBookmarks,
          timeoutSeconds,
        }),
      })
      const idleMs = timeoutSeconds === undefined ? forever : timeoutSeconds * 1000 + idleSlackMs
      return watchStream<T>(stream, {
        maxLineBytes: options.maxLineBytes ?? defaultMaxLineBytes,
        idleMs: Math.min(options.idleMs ?? idleMs, forever),
      })
    },
    create: (kind, object, options = {}) =>
      write(kind, { namespace: object.metadata.namespace }, options, {
        method: 'POST',
        body: typed(kind, object),
      }),
    update: (kind, object, options = {}) =>
      write(kind, object.metadata, options, { method: 'PUT', body: object }),
    patch: (kind, key, { type, body }, options = {}) =>
      write(kind, key, options, {
        method: 'PATCH',
        body,
        contentType: patchTypes[type],
        // An operation such as "append" done twice is two.
        repeatability: type === 'json' ? 'unsafe' : 'idempotent',
      }),
    apply: (kind, object, options = {}) =>
      write(
        kind,
        object.metadata,
        options,
        { method: 'PATCH', body: typed(kind, object), contentType: patchTypes.apply },
        { force: options.force ?? true },
      ),
    delete: async <T extends KubeObject>(
      kind: KindRef<T>,
      { namespace, name }: ObjectKey,
      options: DeleteOptions = {},
    ) => {
      const answer = await send<T>({
        ...callOf(options),
        method: 'DELETE',
        path: resourcePath(kind, { namespace, name }),
        body: deleteBody(options),
      })
      return isStatus(answer) ? undefined : answer
    },
    deleteCollection: async (kind, scope, options = {}) => {
      await send({
        ...callOf(options),
        method: 'DELETE',
        path: withQuery(resourcePath(kind, { namespace: scope.namespace }), scopeQuery(scope)),
        body: deleteBody(options),
      })
    },
  }
}

export function callOf({ signal, timeoutMs, retries }: CallOptions): CallOptions {
  return { signal, timeoutMs, retries }
}

/** Built-in kinds leave apiVersion and kind out of the items of a list, and an empty list may be null. */
function withTypedItems<T extends KubeObject>(kind: KindRef<T>, page: KubeList<T>): KubeList<T> {
  const items = page.items ?? []
  if (items.length === 0 || items[0]?.kind !== undefined) return { ...page, items }
  return { ...page, items: items.map((item) => typed(kind, item) as T) }
}

function typed(kind: KindRef, object: object): object {
  return { apiVersion: formatApiVersion(kind), kind: kind.kind, ...object }
}
