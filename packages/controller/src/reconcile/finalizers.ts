import { hasFinalizer, type KubeObject, withFinalizer, withoutFinalizer } from '@agents/kube'
import type { ObjectApi } from '../objects/object-api.ts'

type Patcher<T extends KubeObject> = Pick<ObjectApi<T>, 'patch'>

/** Guarded, because lists are replaced as a whole. The object as it is when the finalizer is there already. */
export async function addFinalizer<T extends KubeObject>(
  api: Patcher<T>,
  object: T,
  finalizer: string,
  signal?: AbortSignal,
): Promise<T> {
  if (hasFinalizer(object, finalizer)) return object
  return patchFinalizers(api, withFinalizer(object, finalizer), signal)
}

/** The object as it is when the finalizer is not there. */
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
