import type { KubeClient } from '../client/kube-client.ts'
import { isNotFound } from '../client/kube-error.ts'
import type { New } from '../client/resource-writer.ts'
import type { CallOptions } from '../client/transport.ts'
import { sameJson } from '../json/same-json.ts'
import type { KindRef, ObjectKey } from '../kind/kind-ref.ts'
import type { KubeObject } from '../object.ts'
import { mergePatch } from './merge-patch.ts'

export type WriteOutcome = 'created' | 'updated' | 'updatedStatus' | 'updatedBoth' | 'unchanged'

export interface Written<T> {
  readonly object: T
  readonly outcome: WriteOutcome
}

export interface PatchOptions extends CallOptions {
  /** Fails with a conflict when the object is no longer the one that `before` was. */
  readonly optimisticLock?: boolean
}

/**
 * Sends what `after` changes, in one patch for the object and one for its status, and nothing where nothing changed.
 * `T` needs a status subresource if its status changes.
 */
export async function patchObject<T extends KubeObject>(
  client: KubeClient,
  kind: KindRef<T>,
  before: T,
  after: T,
  { optimisticLock = false, ...call }: PatchOptions = {},
): Promise<Written<T>> {
  const lock = optimisticLock ? before.metadata.resourceVersion : undefined
  const main = mergePatch(withoutStatus(before), withoutStatus(after))
  const status = mergePatch({ status: before.status }, { status: after.status })
  let object = before
  if (main !== undefined) {
    const body = locked(main, lock)
    object = await client.patch(kind, after.metadata, { type: 'merge', body }, call)
  }
  if (status !== undefined) {
    // The first patch has moved the resource version on; nobody else's change may lie between.
    const current = lock === undefined ? undefined : object.metadata.resourceVersion
    const body = locked(status, current)
    const options = { ...call, subresource: 'status' }
    object = await client.patch(kind, after.metadata, { type: 'merge', body }, options)
  }
  return { object, outcome: outcomeOf(main, status) }
}

/** Creates what `mutate` makes of nothing, or changes what is there. `mutate` gets a copy and says all it wants to be so. */
export async function createOrPatch<T extends KubeObject>(
  client: KubeClient,
  kind: KindRef<T>,
  key: ObjectKey,
  mutate: (existing: T | undefined) => T,
  options: PatchOptions = {},
): Promise<Written<T>> {
  const { optimisticLock: _, ...call } = options
  const before = await client.get(kind, key, call).catch(absent)
  if (before === undefined) {
    return {
      object: await client.create(kind, mutate(undefined) as New<T>, call),
      outcome: 'created',
    }
  }
  return patchObject(client, kind, before, mutate(structuredClone(before)), options)
}

/** The same, but writes the whole object, guarded by the resource version that was read. Leaves the status alone. */
export async function createOrUpdate<T extends KubeObject>(
  client: KubeClient,
  kind: KindRef<T>,
  key: ObjectKey,
  mutate: (existing: T | undefined) => T,
  call: CallOptions = {},
): Promise<Written<T>> {
  const before = await client.get(kind, key, call).catch(absent)
  if (before === undefined) {
    return {
      object: await client.create(kind, mutate(undefined) as New<T>, call),
      outcome: 'created',
    }
  }
  const after = mutate(structuredClone(before))
  if (sameJson(withoutStatus(before), withoutStatus(after))) {
    return { object: before, outcome: 'unchanged' }
  }
  return { object: await client.update(kind, after, call), outcome: 'updated' }
}

function absent(error: unknown): undefined {
  if (!isNotFound(error)) throw error
  return undefined
}

function withoutStatus({ status: _, ...rest }: KubeObject): object {
  return rest
}

function locked(patch: object, resourceVersion: string | undefined): object {
  if (resourceVersion === undefined) return patch
  const { metadata } = patch as { metadata?: object }
  return { ...patch, metadata: { ...metadata, resourceVersion } }
}

function outcomeOf(main: object | undefined, status: object | undefined): WriteOutcome {
  if (main !== undefined) return status === undefined ? 'updated' : 'updatedBoth'
  return status === undefined ? 'unchanged' : 'updatedStatus'
}
