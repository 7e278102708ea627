import type { KindRef, ObjectKey } from '../kind/kind-ref.ts'
import { resourcePath, withQuery } from '../kind/resource-path.ts'
import type { KubeObject } from '../object.ts'
import { acceptProtobuf } from '../protobuf/kubernetes.ts'
import { isStatus } from '../transport/status.ts'
import { callOf, type RawRequest, type Transport } from '../transport/transport.ts'
import { decodeAnswer } from './decode-answer.ts'
import { type Scope, scopeQuery, type View } from './list-options.ts'
import { typed } from './typed.ts'
import {
  type ApplyOptions,
  type DeleteOptions,
  deleteBody,
  type Patch,
  patchTypes,
  type WriteOptions,
  writeQuery,
} from './write-options.ts'

/** The verbs that create, change and delete. */
export interface ResourceWriter {
  create<T extends KubeObject>(
    kind: KindRef<T>,
    object: New<T>,
    options?: CreateOptions,
  ): Promise<T>
  /** Guarded by the resource version in the object. */
  update<T extends KubeObject>(kind: KindRef<T>, object: T, options?: WriteOptions): Promise<T>
  patch<T extends KubeObject>(
    kind: KindRef<T>,
    key: ObjectKey,
    patch: Patch,
    options?: WriteOptions,
  ): Promise<T>
  /** Server-side apply: creates or updates. The object contains exactly the fields that the manager wants to own. */
  apply<T extends KubeObject>(
    kind: KindRef<T>,
    object: Applied<T>,
    options?: ApplyOptions,
  ): Promise<T>
  /** The object if finalizers or a grace period still keep it; undefined if it is deleted. */
  delete<T extends KubeObject>(
    kind: KindRef<T>,
    key: ObjectKey,
    options?: DeleteOptions,
  ): Promise<T | undefined>
  deleteCollection(kind: KindRef, scope: Scope, options?: DeleteOptions): Promise<void>
}

type CreateOptions = Omit<WriteOptions, 'subresource'> & Pick<View, 'fields'>

/** An object to create: apiVersion and kind are filled in, and the server may generate the name. */
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

export function createResourceWriter(
  transport: Transport,
  fieldManager: string | undefined,
): ResourceWriter {
  const send = <T>(request: RawRequest): Promise<T> => transport.sendJson(request) as Promise<T>

  const writeRequest = (
    kind: KindRef,
    key: Partial<ObjectKey>,
    options: ApplyOptions,
    request: Omit<RawRequest, 'path'>,
    query: { force?: boolean } = {},
  ): RawRequest => ({
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
    create: async <T extends KubeObject>(
      kind: KindRef<T>,
      object: New<T>,
      options: CreateOptions = {},
    ) => {
      const { fields } = options
      const request = writeRequest(kind, { namespace: object.metadata.namespace }, options, {
        method: 'POST',
        body: typed(kind, object),
        accept: fields && acceptProtobuf,
      })
      return decodeAnswer(request, await transport.send(request), fields) as T
    },
    update: (kind, object, options = {}) =>
      send(writeRequest(kind, object.metadata, options, { method: 'PUT', body: object })),
    patch: (kind, key, { type, body }, options = {}) =>
      send(
        writeRequest(kind, key, options, {
          method: 'PATCH',
          body,
          contentType: patchTypes[type],
          // Operations such as an append are not idempotent.
          repeatability: type === 'json' ? 'unsafe' : 'idempotent',
        }),
      ),
    apply: (kind, object, options = {}) =>
      send(
        writeRequest(
          kind,
          object.metadata,
          options,
          { method: 'PATCH', body: typed(kind, object), contentType: patchTypes.apply },
          { force: options.force ?? true },
        ),
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
