import { secondsTimestamp } from '../metadata/timestamps.ts'
import type { Registry } from '../registry/registry.ts'
import type { Resource } from '../registry/resource.ts'
import type { RequestContext } from '../request/request-context.ts'
import { deleteObject } from '../rest/delete.ts'
import type { RestEnvironment } from '../rest/environment.ts'
import { ApiError } from '../status/api-error.ts'
import type { Store, Watch } from '../store/store.ts'
import { cleanupFinalizer, type Definition, definitionPrefix, setCondition } from './definition.ts'

/**
 * Deletes the objects of deleted definitions, waits for those with finalizers, and then deletes the definition.
 */
export function cleanUpDefinitions(
  environment: RestEnvironment,
  registry: Registry,
  clock: () => Date,
  onFault: (error: unknown, name: string) => void,
): { stop(): void } {
  const { store } = environment
  const waiting = new Map<string, Watch>()
  let stopped = false

  const consider = (definition: Definition): void => {
    const { name, finalizers, deletionTimestamp } = definition.metadata
    if (stopped || waiting.has(name) || deletionTimestamp === undefined) return
    if (finalizers?.includes(cleanupFinalizer) !== true) return
    const { group, names } = definition.spec
    const prefix = `/${group}/${definition.status?.acceptedNames?.plural ?? names.plural}/`
    const settle = (): void => {
      if (stopped || store.list(prefix, { limit: 1 }).entries.length > 0) return
      waiting.get(name)?.close()
      waiting.delete(name)
      release(store, name, clock()).catch((error: unknown) => onFault(error, name))
    }
    waiting.set(
      name,
      store.watch(prefix, store.revision, ({ type }) => {
        if (type === 'DELETED') settle()
      }),
    )
    const served = registry.all().filter(({ storagePrefix }) => storagePrefix === prefix)
    const stored = definition.spec.versions.find(({ storage }) => storage)?.name
    // Objects in the storage version need no conversion, whose webhook may no longer exist.
    const resource = served.find(({ version }) => version === stored) ?? served[0]
    announce(store, name, clock())
      .then(() => deleteAll(environment, resource, prefix, clock()))
      .then(settle)
      .catch((error: unknown) => onFault(error, name))
  }

  const { entries, revision } = store.list(definitionPrefix)
  for (const entry of entries) consider(entry.value as Definition)
  const watch = store.watch(definitionPrefix, revision, ({ type, entry }) => {
    // The registry handles the same event first.
    if (type !== 'DELETED') setImmediate(() => consider(entry.value as Definition))
  })
  return {
    stop: () => {
      stopped = true
      watch.close()
      for (const one of waiting.values()) one.close()
      waiting.clear()
    },
  }
}

async function deleteAll(
  environment: RestEnvironment,
  resource: Resource | undefined,
  prefix: string,
  now: Date,
): Promise<void> {
  const { store } = environment
  const context: RequestContext = {
    user: { name: 'system:apiserver', groups: ['system:masters'] },
    now,
    userAgent: 'apiserver',
    fieldManager: undefined,
    dryRun: false,
    fieldValidation: 'Ignore',
    warnings: [],
  }
  await Promise.all(
    store.list(prefix).entries.map(async ({ key, value: { metadata } }) => {
      // If no version is served, no controller can remove finalizers.
      if (resource === undefined) {
        await store.write(key, () => 'delete')
        return
      }
      const target = {
        resource,
        strategy: resource.strategy,
        subresource: '',
        namespace: metadata.namespace ?? '',
        name: metadata.name,
      }
      try {
        await deleteObject(environment, target, { dryRun: false }, context)
      } catch (error) {
        if (!(error instanceof ApiError) || error.reason !== 'NotFound') throw error
      }
    }),
  )
}

async function announce(store: Store, name: string, now: Date): Promise<void> {
  await store.write(`${definitionPrefix}${name}`, (current) => {
    if (current === undefined) return 'unchanged'
    const definition = current.value as Definition
    const conditions = setCondition(definition.status?.conditions ?? [], {
      type: 'Terminating',
      status: 'True',
      lastTransitionTime: secondsTimestamp(now),
      reason: 'InstanceDeletionInProgress',
      message: 'CustomResource deletion is in progress',
    })
    return { value: { ...definition, status: { ...definition.status, conditions } } }
  })
}

async function release(store: Store, name: string, now: Date): Promise<void> {
  await store.write(`${definitionPrefix}${name}`, (current) => {
    if (current === undefined) return 'unchanged'
    const definition = current.value as Definition
    const finalizers = (definition.metadata.finalizers ?? []).filter(
      (one) => one !== cleanupFinalizer,
    )
    const { finalizers: _all, ...metadata } = definition.metadata
    const next: Definition = {
      ...definition,
      metadata: { ...metadata, ...(finalizers.length === 0 ? {} : { finalizers }) },
      status: {
        ...definition.status,
        conditions: setCondition(definition.status?.conditions ?? [], {
          type: 'Terminating',
          status: 'False',
          lastTransitionTime: secondsTimestamp(now),
          reason: 'InstanceDeletionCompleted',
          message: 'removed all instances',
        }),
      },
    }
    return finalizers.length === 0 ? { delete: next } : { value: next }
  })
}
