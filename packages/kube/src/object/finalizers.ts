import type { KubeObject } from '../object.ts'

/** Returns the same object if nothing changes, otherwise a copy. */
export function withFinalizer<T extends KubeObject>(object: T, finalizer: string): T {
  if (hasFinalizer(object, finalizer)) return object
  return withFinalizers(object, [...(object.metadata.finalizers ?? []), finalizer])
}

/** Returns the same object if nothing changes, otherwise a copy. */
export function withoutFinalizer<T extends KubeObject>(object: T, finalizer: string): T {
  if (!hasFinalizer(object, finalizer)) return object
  const others = (object.metadata.finalizers ?? []).filter((each) => each !== finalizer)
  return withFinalizers(object, others)
}

export function hasFinalizer({ metadata }: KubeObject, finalizer: string): boolean {
  return metadata.finalizers?.includes(finalizer) === true
}

function withFinalizers<T extends KubeObject>(object: T, finalizers: string[]): T {
  return { ...object, metadata: { ...object.metadata, finalizers } }
}
