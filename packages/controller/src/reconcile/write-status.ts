import { type KubeObject, mergePatch } from '@agents/kube'
import { type ClockFields, nextStatus } from '@agents/status'
import type { ObjectApi } from '../objects/object-api.ts'

/**
 * The one status write of a reconcile: guarded by the resource version that was looked at, so it never mixes with that of
 * somebody else. Nothing is sent, and undefined returned, when only the clock has moved.
 */
export async function writeStatus<T extends KubeObject>(
  api: Pick<ObjectApi<T>, 'updateStatus'>,
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
  if (!status || !mergePatch(previous, status)) return undefined
  return api.updateStatus({ ...object, status }, options.signal)
}
