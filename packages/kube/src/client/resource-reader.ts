import type { KindRef, ObjectKey } from '../kind/kind-ref.ts'
import { resourcePath, withQuery } from '../kind/resource-path.ts'
import type { KubeList, KubeObject } from '../object.ts'
import { decodeList } from '../protobuf/kubernetes.ts'
import {
  type CallOptions,
  callOf,
  type RawRequest,
  type Transport,
} from '../transport/transport.ts'
import { type WatchStream, watchStream } from '../watch/watch-stream.ts'
import { decodeAnswer } from './decode-answer.ts'
import {
  acceptOf,
  type ListOptions,
  scopeQuery,
  type View,
  type WatchOptions,
} from './list-options.ts'
import { typed } from './typed.ts'

interface GetOptions extends CallOptions, Pick<View, 'metadataOnly'> {
  readonly subresource?: string
  readonly resourceVersion?: string
}

/** The read-only verbs. */
export interface ResourceReader {
  get<T extends KubeObject>(kind: KindRef<T>, key: ObjectKey, options?: GetOptions): Promise<T>
  /** One page: everything, unless `limit` is set. */
  list<T extends KubeObject>(kind: KindRef<T>, options?: ListOptions): Promise<KubeList<T>>
  /** All pages of one consistent list. `limit` defaults to 500. */
  pages<T extends KubeObject>(kind: KindRef<T>, options?: ListOptions): AsyncGenerator<KubeList<T>>
  /** All objects, fetched page by page. */
  each<T extends KubeObject>(kind: KindRef<T>, options?: ListOptions): AsyncGenerator<T>
  /** Resolves when the server has accepted the watch. */
  watch<T extends KubeObject>(kind: KindRef<T>, options?: WatchOptions): Promise<WatchStream<T>>
}

const pageSize = 500
const idleSlackMs = 30_000
const defaultMaxLineBytes = 64 * 1024 * 1024
/** The longest delay of a timer. */
const forever = 2 ** 31 - 1

/** With `acceptGzip`, large lists may be compressed. */
export function createResourceReader(transport: Transport, acceptGzip: boolean): ResourceReader {
  const send = <T>(request: RawRequest): Promise<T> => transport.sendJson(request) as Promise<T>

  const list = async <T extends KubeObject>(
    kind: KindRef<T>,
    options: ListOptions = {},
  ): Promise<KubeList<T>> => {
    const request = {
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
    }
    const answer = await transport.send(request)
    const page = decodeAnswer(request, answer, options.fields, decodeList)
    return withTypedItems(kind, page as KubeList<T>)
  }

  async function* pages<T extends KubeObject>(
    kind: KindRef<T>,
    options: ListOptions = {},
  ): AsyncGenerator<KubeList<T>> {
    let page = await list(kind, { limit: pageSize, ...options })
    yield page
    while (page.metadata.continue) {
      // A continue token contains the resource version; the server rejects another one.
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

  return {
    get: (kind, { namespace, name }, options = {}) =>
      send({
        ...callOf(options),
        accept: acceptOf(options, 'PartialObjectMetadata'),
        path: withQuery(resourcePath(kind, { namespace, name, subresource: options.subresource }), {
          resourceVersion: options.resourceVersion,
        }),
      }),
    list,
    pages,
    async *each(kind, options) {
      for await (const page of pages(kind, options)) yield* page.items
    },
    watch: (kind, options = {}) => openWatch(transport, kind, options),
  }
}

async function openWatch<T extends KubeObject>(
  transport: Transport,
  kind: KindRef<T>,
  options: WatchOptions,
): Promise<WatchStream<T>> {
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
  const limits = {
    maxLineBytes: options.maxLineBytes ?? defaultMaxLineBytes,
    idleMs: Math.min(options.idleMs ?? idleMs, forever),
  }
  return watchStream<T>(stream, limits, options)
}

/** Built-in kinds omit apiVersion and kind in the items of a list, and an empty list may be null. */
function withTypedItems<T extends KubeObject>(kind: KindRef<T>, page: KubeList<T>): KubeList<T> {
  const items = page.items ?? []
  if (items.length === 0 || items[0]?.kind !== undefined) return { ...page, items }
  return { ...page, items: items.map((item) => typed(kind, item) as T) }
}
