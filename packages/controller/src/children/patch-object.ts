import type { KubeObject } from '@agents/kube'
import { mergePatchBetween } from '../objects/merge-patch.ts'
import type { MergePatch, ObjectApi } from '../objects/object-api.ts'

export interface PatchOptions {
  /** Refuse with Conflict when the object is no longer what `before` says. Lists are replaced as a whole, so default true. */
  readonly guarded?: boolean
  readonly signal?: AbortSignal
}

/**
 * Sends what is different between the two, the status on its own, and nothing for what is the same. Answers with the object
 * as the server has it afterwards.
 */
export async function patchObject<T extends KubeObject>(
  api: Pick<ObjectApi<T>, 'patch' | 'patchStatus'>,
  before: T,
  after: T,
  { guarded = true, signal }: PatchOptions = {},
): Promise<T> {
  const { status: statusBefore, ...restBefore } = before
  const { status: statusAfter, ...restAfter } = after
  let current = before
  const main = mergePatchBetween(restBefore, restAfter)
  if (main) current = await api.patch(before.metadata, guard(main, current, guarded), signal)
  const status = mergePatchBetween({ status: statusBefore }, { status: statusAfter })
  if (status) {
    current = await api.patchStatus(before.metadata, guard(status, current, guarded), signal)
  }
  return current
}

function guard(patch: MergePatch, { metadata }: KubeObject, guarded: boolean): MergePatch {
  if (!guarded) return patch
  const { resourceVersion } = metadata
  return { ...patch, metadata: { ...(patch.metadata as object | undefined), resourceVersion } }
}
