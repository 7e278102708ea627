import { type KubeObject, mergePatch } from '@agents/kube'
import { type ClockFields, nextStatus } from '@agents/status'
import type { ObjectApi } from '../objects/object-api.ts'

/**
 * Writes the status once per reconcile, guarded by the reconciled resource version, so that it never mixes with the
 * write of another client. Sends nothing and returns undefined if only timestamps would change.
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
