import { isDeepStrictEqual } from 'node:util'
import { createOnce, objectApi } from '@agents/controller'
import {
  type ConfigMap,
  ConfigMapKind,
  isConflict,
  isControlledBy,
  isForbidden,
  isNotFound,
  JobKind,
  type KubeClient,
  type KubeObject,
  type ObjectKey,
  OwnershipError,
} from '@agents/kube'
import type { Named } from './attempt-objects.ts'

export interface NewConfigMap {
  readonly client: KubeClient
  readonly owner: KubeObject
  readonly map: Named<ConfigMap>
  /** The Job that mounts it. */
  readonly job: ObjectKey
  readonly signal: AbortSignal
}

/**
 * Creates a ConfigMap of a run before its Job. The name is predictable, and anyone who may create ConfigMaps can name
 * the run as the owner: a ConfigMap with other content is replaced. It also differs if an input was edited before a
 * restart. Who replaces it once the Job exists is not noticed here: the pod compares it with digests in the Job.
 */
export async function createConfigMap(request: NewConfigMap): Promise<void> {
  const { client, owner, map, signal } = request
  const api = objectApi(client, ConfigMapKind)
  const existing = await createOnce(api, map, owner, signal)
  if (existing.kind === 'created' || hasContentOf(existing.object, map)) return
  // A cache can lag behind: the pod of a Job that exists keeps the ConfigMap that it was created with.
  if (await isSubmitted(request)) return
  await deleteObserved(client, existing.object, signal)
  const second = await createOnce(api, map, owner, signal)
  if (second.kind === 'created' || hasContentOf(second.object, map)) return
  throw new OwnershipError(
    `ConfigMap ${map.metadata.name} has content that is not from the controller, and cannot be replaced; delete it`,
  )
}

/**
 * Deletes a ConfigMap of the previous attempt, whose Job and logs no longer exist. Otherwise a run with many retries
 * would fill the cluster with copies of the same text.
 */
export async function deleteConfigMap(
  client: KubeClient,
  owner: KubeObject,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  const { namespace } = owner.metadata
  const existing = await client
    .get(ConfigMapKind, { namespace, name }, { signal })
    .catch((error: unknown) => {
      if (isNotFound(error)) return undefined
      throw error
    })
  if (!existing || !isControlledBy(existing, owner)) return
  await deleteObserved(client, existing, signal).catch((error: unknown) => {
    // The garbage collector deletes it with the run. The next attempt must not fail because of it.
    if (!isForbidden(error)) throw error
  })
}

async function deleteObserved(
  client: KubeClient,
  { metadata }: ConfigMap,
  signal: AbortSignal,
): Promise<void> {
  const { uid = '' } = metadata
  try {
    await client.delete(ConfigMapKind, metadata, { preconditions: { uid }, signal })
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error
  }
}

function hasContentOf(existing: ConfigMap, map: Named<ConfigMap>): boolean {
  const { data = {}, binaryData = {}, immutable, metadata } = existing
  return (
    isDeepStrictEqual(data, map.data ?? {}) &&
    Object.keys(binaryData).length === 0 &&
    // The content of a mutable ConfigMap may differ by the time the pod mounts it.
    immutable === map.immutable &&
    metadata.deletionTimestamp === undefined
  )
}

async function isSubmitted({ client, owner, job, signal }: NewConfigMap): Promise<boolean> {
  try {
    return isControlledBy(await client.get(JobKind, job, { signal }), owner)
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}
