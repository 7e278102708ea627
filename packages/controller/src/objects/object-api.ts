import type { KindRef, KubeClient, KubeObject, Message, New, ObjectKey } from '@agents/kube'

/** The verbs of one kind that reconciling needs. Errors of the server are thrown as KubeError. */
export interface ObjectApi<T extends KubeObject = KubeObject> {
  get(key: ObjectKey, signal?: AbortSignal): Promise<T>
  create(object: New<T>, signal?: AbortSignal): Promise<T>
  /** Sends a merge patch. With `metadata.resourceVersion` it is rejected with Conflict if the object has changed. */
  patch(key: ObjectKey, patch: MergePatch, signal?: AbortSignal): Promise<T>
  /**
   * Replaces the status and nothing else. Rejected with Conflict if the object has changed since its resource version.
   * Cheaper for the server than a patch, for which it encodes, patches and decodes the whole object.
   */
  updateStatus(object: T, signal?: AbortSignal): Promise<T>
}

/** RFC 7386: null removes a field. */
export type MergePatch = Readonly<Record<string, unknown>>

type Verbs = Pick<KubeClient, 'get' | 'create' | 'patch' | 'update'>

/** `created`: which fields of a created object are returned, from a server that sends protobuf. Default: all. */
export function objectApi<T extends KubeObject>(
  client: Verbs,
  kind: KindRef<T>,
  { created }: { readonly created?: Message } = {},
): ObjectApi<T> {
  return {
    get: (key, signal) => client.get(kind, key, { signal }),
    create: (object, signal) => client.create(kind, object, { signal, fields: created }),
    patch: (key, body, signal) => client.patch(kind, key, { type: 'merge', body }, { signal }),
    updateStatus: ({ apiVersion, kind: kindName, metadata, status }, signal) => {
      const { namespace, name, uid, resourceVersion } = metadata
      const named = { namespace, name, uid, resourceVersion }
      const body = { apiVersion, kind: kindName, metadata: named, status } as T
      return client.update(kind, body, { signal, subresource: 'status' })
    },
  }
}
