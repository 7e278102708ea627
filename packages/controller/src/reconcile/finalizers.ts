import type { KubeObject } from '@agents/kube'
import type { ObjectApi } from '../objects/object-api.ts'

type Patcher<T extends KubeObject> = Pick<ObjectApi<T>, 'patch'>

export function hasFinalizer({ metadata }: KubeObject, finalizer: string): boolean {
  return metadata.finalizers?.includes(finalizer) ?? false
}

/** Guarded, because lists are replaced as a whole. The object as it is when the finalizer is there already. */
export async function addFinalizer<T extends KubeObject>(
  api: Patcher<T>,
  object: T,
  finalizer: string,
  signal?: AbortSignal,
): Promise<T> {
  if (hasFinalizer(object, finalizer)) return object
  const finalizers = [...(object.metadata.finalizers ?? []), finalizer]
  return patchFinalizers(api, object, finalizers, signal)
}

export async function removeFinalizer<T extends KubeObject>(
  api: Patcher<T>,
  object: T,
  finalizer: string,
  signal?: AbortSignal,
): Promise<T> {
  if (!hasFinalizer(object, finalizer)) return object
  const finalizers = (object.metadata.finalizers ?? []).filter((name) => name !== finalizer)
  return patchFinalizers(api, object, finalizers.length === 0 ? null : finalizers, signal)
}

function patchFinalizers<T extends KubeObject>(
  api: Patcher<T>,
  { metadata }: T,
  finalizers: readonly string[] | null,
  signal: AbortSignal | undefined,
): Promise<T> {
  const { resourceVersion } = metadata
  return api.patch(metadata, { metadata: { resourceVersion, finalizers } }, signal)
}
