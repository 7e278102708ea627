import type { KubeObject, OwnerReference } from '@agents/kube'
import { parseApiVersion } from '@agents/kube'
import type { Registry } from '../registry/registry.ts'
import type { Store } from '../store/store.ts'
import type { BackgroundTask } from './background-task.ts'
import { type InternalClient, ignoreMissing, type ObjectName } from './internal-client.ts'
import { OwnershipGraph, ownersOf } from './ownership-graph.ts'
import { RetryQueue } from './retry-queue.ts'
import { type StoredResources, storedResources } from './stored-resources.ts'

interface GarbageCollectorOptions {
  readonly store: Store
  readonly registry: Registry
  readonly client: InternalClient
  readonly onError: (key: string, error: unknown) => void
}

interface Collector extends GarbageCollectorOptions {
  readonly graph: OwnershipGraph
  readonly resources: StoredResources
}

const foreground = 'foregroundDeletion'
const orphan = 'orphan'

/**
 * Deletes objects that have lost their last owner, deletes dependents before an owner with foreground deletion, and
 * removes the owner reference from dependents of an owner with orphan deletion.
 */
export function startGarbageCollector(options: GarbageCollectorOptions): BackgroundTask {
  const { store, onError } = options
  const graph = new OwnershipGraph()
  const collector: Collector = { ...options, graph, resources: storedResources(options.registry) }
  const queue = new RetryQueue((key) => collect(collector, key), onError)

  const { entries, revision } = store.list('/')
  for (const { key, value } of entries) graph.put(key, value)
  for (const { key, value } of entries) if (needsWork(value)) queue.add(key)

  const watch = store.watch('/', revision, ({ type, entry }) => {
    const object = entry.value
    if (type !== 'DELETED') {
      graph.put(entry.key, object)
      if (needsWork(object)) queue.add(entry.key)
      return
    }
    graph.remove(object)
    for (const key of graph.dependentsOf(object.metadata.uid ?? '')) queue.add(key)
    // An owner in foreground deletion may have been blocked by this object.
    for (const { uid } of ownersOf(object)) {
      const owner = graph.keyOf(uid)
      if (owner !== undefined) queue.add(owner)
    }
  })
  return {
    async stop() {
      watch.close()
      await queue.stop()
    },
    idle: () => queue.idle(),
  }
}

function needsWork(object: KubeObject): boolean {
  return ownersOf(object).length > 0 || isWaiting(object, foreground) || isWaiting(object, orphan)
}

function isWaiting({ metadata }: KubeObject, finalizer: string): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).includes(finalizer)
}

async function collect(collector: Collector, key: string): Promise<void> {
  const object = collector.store.get(key)?.value
  const target = object && collector.resources.nameOf(key, object)
  if (object === undefined || target === undefined) return
  if (isWaiting(object, orphan)) await setDependentsFree(collector, target, object)
  else if (isWaiting(object, foreground)) await finishForeground(collector, target, object)
  else if (ownersOf(object).length > 0) await collectDependent(collector, target, object)
}

/** Deletes an object if all its owners are deleted or being deleted; otherwise removes the references to those. */
async function collectDependent(
  collector: Collector,
  target: ObjectName,
  object: KubeObject,
): Promise<void> {
  const { client, graph } = collector
  if (object.metadata.deletionTimestamp !== undefined) return
  const states = ownersOf(object).map((reference) => ({
    reference,
    state: ownerState(reference, object, collector),
  }))
  const leaving = states.filter(({ state }) => state === 'absent' || state === 'waiting')
  if (leaving.length === 0 || states.some(({ state }) => state === 'unknown')) return
  const { uid = '' } = object.metadata
  if (leaving.length < states.length) {
    const gone = new Set(leaving.map(({ reference }) => reference.uid))
    await ignoreMissing(client.update(target, (live) => withoutOwners(live, uid, gone)))
    return
  }
  const hasDependents = graph.dependentsOf(uid).length > 0
  const waitedFor = states.some(({ state }) => state === 'waiting')
  const policy = waitedFor && hasDependents ? 'Foreground' : policyOf(object)
  await ignoreMissing(client.delete(target, { propagationPolicy: policy, uid }))
}

type OwnerState = 'present' | 'absent' | 'waiting' | 'unknown'

/** `unknown`: the kind is not served, so that the owner may still exist. Its dependents are kept. */
function ownerState(
  reference: OwnerReference,
  dependent: KubeObject,
  { store, registry, graph }: Collector,
): OwnerState {
  const { group } = parseApiVersion(reference.apiVersion)
  const kinds = registry
    .all()
    .filter(({ kind, group: own }) => kind === reference.kind && own === group)
  if (kinds.length === 0) return 'unknown'
  const key = graph.keyOf(reference.uid)
  const owner = key === undefined ? undefined : store.get(key)?.value
  if (owner === undefined || owner.metadata.name !== reference.name) return 'absent'
  const { namespace } = owner.metadata
  if (namespace !== undefined && namespace !== dependent.metadata.namespace) return 'absent'
  return isWaiting(owner, foreground) ? 'waiting' : 'present'
}

function policyOf({ metadata }: KubeObject): 'Foreground' | 'Background' | 'Orphan' {
  const finalizers = metadata.finalizers ?? []
  if (finalizers.includes(orphan)) return 'Orphan'
  return finalizers.includes(foreground) ? 'Foreground' : 'Background'
}

/** Deletes the dependents of an owner in foreground deletion, and the owner once no dependent blocks it. */
async function finishForeground(
  collector: Collector,
  target: ObjectName,
  owner: KubeObject,
): Promise<void> {
  const { store, resources, client, graph } = collector
  const { uid = '' } = owner.metadata
  let blocked = false
  for (const key of graph.dependentsOf(uid)) {
    const dependent = store.get(key)?.value
    const name = dependent && resources.nameOf(key, dependent)
    if (dependent === undefined || name === undefined) continue
    const references = ownersOf(dependent)
    if (references.some((each) => each.uid === uid && each.blockOwnerDeletion === true))
      blocked = true
    if (references.some((each) => each.uid !== uid && graph.keyOf(each.uid) !== undefined)) {
      // An object with another owner only loses the reference to this one.
      await ignoreMissing(
        client.update(name, (live) => withoutOwners(live, dependent.metadata.uid, new Set([uid]))),
      )
    } else if (dependent.metadata.deletionTimestamp === undefined) {
      const hasDependents = graph.dependentsOf(dependent.metadata.uid ?? '').length > 0
      const propagationPolicy = hasDependents ? 'Foreground' : policyOf(dependent)
      const identity = dependent.metadata.uid === undefined ? {} : { uid: dependent.metadata.uid }
      await ignoreMissing(client.delete(name, { propagationPolicy, ...identity }))
    }
  }
  if (!blocked)
    await ignoreMissing(client.update(target, (live) => withoutFinalizer(live, uid, foreground)))
}

async function setDependentsFree(
  collector: Collector,
  target: ObjectName,
  owner: KubeObject,
): Promise<void> {
  const { store, resources, client, graph } = collector
  const { uid = '' } = owner.metadata
  for (const key of graph.dependentsOf(uid)) {
    const dependent = store.get(key)?.value
    const name = dependent && resources.nameOf(key, dependent)
    if (name === undefined) continue
    await ignoreMissing(
      client.update(name, (live) => withoutOwners(live, dependent?.metadata.uid, new Set([uid]))),
    )
  }
  await ignoreMissing(client.update(target, (live) => withoutFinalizer(live, uid, orphan)))
}

/** `uid` is a precondition: the object may have been recreated with the same name. */
function withoutOwners(
  live: KubeObject,
  uid: string | undefined,
  gone: ReadonlySet<string>,
): KubeObject | undefined {
  if (live.metadata.uid !== uid) return undefined
  const rest = ownersOf(live).filter((reference) => !gone.has(reference.uid))
  const { ownerReferences: _, ...metadata } = live.metadata
  return {
    ...live,
    metadata: rest.length === 0 ? metadata : { ...metadata, ownerReferences: rest },
  }
}

function withoutFinalizer(
  live: KubeObject,
  uid: string,
  finalizer: string,
): KubeObject | undefined {
  if (live.metadata.uid !== uid) return undefined
  const rest = (live.metadata.finalizers ?? []).filter((each) => each !== finalizer)
  const { finalizers: _, ...metadata } = live.metadata
  return { ...live, metadata: rest.length === 0 ? metadata : { ...metadata, finalizers: rest } }
}
