import { hasFinalizer, type KubeObject, withFinalizer, withoutFinalizer } from '@agents/kube'
import type { ObjectApi } from '../objects/object-api.ts'

type Patcher<T extends KubeObject> = Pick<ObjectApi<T>, 'patch'>

/**
 * Adds the finalizer, guarded by the resource version because patches replace whole lists. Returns the object if it has
 * it.
 */
export async function addFinalizer<T extends KubeObject>(
  api: Patcher<T>,
  object: T,
  finalizer: string,
  signal?: AbortSignal,
): Promise<T> {
  if (hasFinalizer(object, finalizer)) return object
  return patchFinalizers(api, withFinalizer(object, finalizer), signal)
}

/** Removes the finalizer. Returns the object unchanged if it does not have it. */
export async function removeFinalizer<T extends KubeObject>(
  api: Patcher<T>,
  object: T,
  finalizer: string,
  signal?: AbortSignal,
): Promise<T> {
  if (!hasFinalizer(object, finalizer)) return object
  return patchFinalizers(api, withoutFinalizer(object, finalizer), signal)
}

function patchFinalizers<T extends KubeObject>(
  api: Patcher<T>,
  { metadata }: T,
  signal: AbortSignal | undefined,
): Promise<T> {
  const { resourceVersion, finalizers } = metadata
  return api.patch(metadata, { metadata: { resourceVersion, finalizers } }, signal)
}
