import type { KindRef, KubeClient, KubeObject, New, ObjectKey } from '@agents/kube'

/** The verbs of one kind, as far as reconciling needs them. Refusals are thrown as KubeError. */
export interface ObjectApi<T extends KubeObject = KubeObject> {
  get(key: ObjectKey, signal?: AbortSignal): Promise<T>
  create(object: New<T>, signal?: AbortSignal): Promise<T>
  /** A merge patch. One that names `metadata.resourceVersion` is refused with Conflict when the object has moved on. */
  patch(key: ObjectKey, patch: MergePatch, signal?: AbortSignal): Promise<T>
  /**
   * Makes the status that of `object`, and leaves the rest alone. Refused with Conflict when the object has moved on from its
   * resource version. Cheaper for the server than a patch, which makes it write, patch and read the whole object first.
   */
  updateStatus(object: T, signal?: AbortSignal): Promise<T>
}

/** RFC 7386: null removes a field. */
export type MergePatch = Readonly<Record<string, unknown>>

type Verbs = Pick<KubeClient, 'get' | 'create' | 'patch' | 'update'>

export function objectApi<T extends KubeObject>(client: Verbs, kind: KindRef<T>): ObjectApi<T> {
  return {
    get: (key, signal) => client.get(kind, key, { signal }),
    create: (object, signal) => client.create(kind, object, { signal }),
    patch: (key, body, signal) => client.patch(kind, key, { type: 'merge', body }, { signal }),
    updateStatus: ({ apiVersion, kind: kindName, metadata, status }, signal) => {
      const { namespace, name, uid, resourceVersion } = metadata
      const named = { namespace, name, uid, resourceVersion }
      const body = { apiVersion, kind: kindName, metadata: named, status } as T
      return client.update(kind, body, { signal, subresource: 'status' })
    },
  }
}
