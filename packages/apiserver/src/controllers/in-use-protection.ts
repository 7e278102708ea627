import type { KubeObject } from '@agents/kube'
import type { Registry } from '../registry/registry.ts'
import type { Store } from '../store/store.ts'
import type { BackgroundTask } from './background-task.ts'
import { type InternalClient, ignoreMissing } from './internal-client.ts'
import { RetryQueue } from './retry-queue.ts'

export interface ProtectionOptions {
  readonly store: Store
  readonly registry: Registry
  readonly client: InternalClient
  readonly onError: (key: string, error: unknown) => void
}

/** A core resource whose objects have a finalizer that delays their deletion while they are in use. */
interface ProtectedResource {
  readonly plural: string
  readonly finalizer: string
  isUsed(object: KubeObject): boolean
}

interface InUseProtection extends BackgroundTask {
  /** Checks an object again after something that may have used it has changed. */
  recheck(key: string): void
}

/** Removes the finalizer from objects that are being deleted and not in use, and adds it to those that lack it. */
export function startInUseProtection(
  { store, registry, client, onError }: ProtectionOptions,
  { plural, finalizer, isUsed }: ProtectedResource,
): InUseProtection {
  const prefix = `/core/${plural}/`
  const change = (object: KubeObject): KubeObject | undefined => {
    const { finalizers = [], deletionTimestamp } = object.metadata
    const has = finalizers.includes(finalizer)
    if (deletionTimestamp === undefined) {
      return has ? undefined : withFinalizers(object, [...finalizers, finalizer])
    }
    if (!has || isUsed(object)) return undefined
    return withFinalizers(
      object,
      finalizers.filter((each) => each !== finalizer),
    )
  }
  const queue = new RetryQueue(async (key) => {
    const object = store.get(key)?.value
    const resource = registry.find('', 'v1', plural)
    if (object === undefined || resource === undefined || change(object) === undefined) return
    const { namespace = '', name } = object.metadata
    await ignoreMissing(client.update({ resource, namespace, name }, change))
  }, onError)
  const { entries, revision } = store.list(prefix)
  for (const { key } of entries) queue.add(key)
  const watch = store.watch(prefix, revision, ({ type, entry }) => {
    if (type !== 'DELETED') queue.add(entry.key)
  })
  return {
    recheck: (key) => queue.add(key),
    async stop() {
      watch.close()
      await queue.stop()
    },
    idle: () => queue.idle(),
  }
}

function withFinalizers(object: KubeObject, finalizers: string[]): KubeObject {
  return { ...object, metadata: { ...object.metadata, finalizers } }
}
