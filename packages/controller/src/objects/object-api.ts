import type { KubeObject } from '@agents/kube'

/** The writes of one kind, as far as reconciling needs them. Refusals are thrown with the server's `reason`. */
export interface ObjectApi<T extends KubeObject = KubeObject> {
  get(key: ObjectKey, signal?: AbortSignal): Promise<T>
  create(object: T, signal?: AbortSignal): Promise<T>
  /** A merge patch. One that names `metadata.resourceVersion` is refused with Conflict when the object has moved on. */
  patch(key: ObjectKey, patch: MergePatch, signal?: AbortSignal): Promise<T>
  patchStatus(key: ObjectKey, patch: MergePatch, signal?: AbortSignal): Promise<T>
}

/** Which object of a kind. An object's metadata is one. */
export interface ObjectKey {
  readonly namespace?: string | undefined
  readonly name: string
}

/** RFC 7386: null removes a field. */
export type MergePatch = Readonly<Record<string, unknown>>
