import type { KindRef, KubeClient, KubeObject, New, ObjectKey } from '@agents/kube'

/** The verbs of one kind, as far as reconciling needs them. Refusals are thrown as KubeError. */
export interface ObjectApi<T extends KubeObject = KubeObject> {
  get(key: ObjectKey, signal?: AbortSignal): Promise<T>
  create(object: New<T>, signal?: AbortSignal): Promise<T>
  /** A merge patch. One that names `metadata.resourceVersion` is refused with Conflict when the object has moved on. */
  patch(key: ObjectKey, patch: MergePatch, signal?: AbortSignal): Promise<T>
  patchStatus(key: ObjectKey, patch: MergePatch, signal?: AbortSignal): Promise<T>
}

/** RFC 7386: null removes a field. */
export type MergePatch = Readonly<Record<string, unknown>>

type Verbs = Pick<KubeClient, 'get' | 'create' | 'patch'>

export function objectApi<T extends KubeObject>(client: Verbs, kind: KindRef<T>): ObjectApi<T> {
  return {
    get: (key, signal) => client.get(kind, key, { signal }),
    create: (object, signal) => client.create(kind, object, { signal }),
    patch: (key, body, signal) => client.patch(kind, key, { type: 'merge', body }, { signal }),
    patchStatus: (key, body, signal) =>
      client.patch(kind, key, { type: 'merge', body }, { signal, subresource: 'status' }),
  }
}
