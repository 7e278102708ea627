import { isNotFound, type KubeClient, type KubeObject, parseApiVersion } from '@agents/kube'
import { findKind } from './known-kinds.ts'

interface ApplyObjectOptions {
  /** Namespace of objects that have none. */
  readonly namespace: string
  readonly dryRun?: boolean
  readonly signal?: AbortSignal
}

/** Applies an object on the server side and returns what changed. */
export async function applyObject(
  client: KubeClient,
  object: KubeObject,
  { namespace, dryRun, signal }: ApplyObjectOptions,
): Promise<'created' | 'changed' | 'unchanged'> {
  const { group } = parseApiVersion(object.apiVersion)
  const kind = await findKind(group === '' ? object.kind : `${object.kind}.${group}`, client)
  const metadata = {
    ...object.metadata,
    ...(kind.namespaced && { namespace: object.metadata.namespace ?? namespace }),
  }
  const before = await client.get(kind, metadata, { signal }).catch((error: unknown) => {
    if (isNotFound(error)) return undefined
    throw error
  })
  const after = await client.apply(
    kind,
    { ...object, metadata },
    { dryRun, signal, fieldValidation: 'Strict', fieldManager: 'agentctl' },
  )
  if (before === undefined) return 'created'
  return before.metadata.resourceVersion === after.metadata.resourceVersion
    ? 'unchanged'
    : 'changed'
}
