import { type KubeObject, mergePatch } from '@agents/kube'
import { type ClockFields, nextStatus } from '@agents/status'
import type { ObjectApi } from '../objects/object-api.ts'

/**
 * The one status write of a reconcile: guarded by the resource version that was looked at, so it never mixes with that of
 * somebody else. Nothing is sent, and undefined returned, when only the clock has moved.
 */
export async function writeStatus<T extends KubeObject>(
  api: Pick<ObjectApi<T>, 'patchStatus'>,
  object: T,
  next: object,
  options: {
    readonly now: Date
    readonly clockFields?: ClockFields | undefined
    readonly signal?: AbortSignal
  },
): Promise<T | undefined> {
  const previous = (object.status ?? {}) as object
  const status = nextStatus(previous, next, options.now, options.clockFields)
  const change = status && mergePatch(previous, status)
  if (!change) return undefined
  const { resourceVersion } = object.metadata
  const patch = { metadata: { resourceVersion }, status: change }
  return api.patchStatus(object.metadata, patch, options.signal)
}
