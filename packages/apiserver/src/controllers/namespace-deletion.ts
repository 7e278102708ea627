import type { KubeObject } from '@agents/kube'
import { secondsTimestamp } from '../metadata/timestamps.ts'
import type { Registry } from '../registry/registry.ts'
import type { Resource } from '../registry/resource.ts'
import { listPrefix } from '../rest/environment.ts'
import type { Store } from '../store/store.ts'
import type { BackgroundTask } from './background-task.ts'
import { type InternalClient, ignoreMissing } from './internal-client.ts'
import { RetryQueue } from './retry-queue.ts'
import { type StoredResources, storedResources } from './stored-resources.ts'

interface NamespaceDeletionOptions {
  readonly store: Store
  readonly registry: Registry
  readonly client: InternalClient
  readonly clock: () => Date
  readonly onError: (key: string, error: unknown) => void
}

const prefix = '/core/namespaces/'
const finalizer = 'kubernetes'

/**
 * Deletes the content of terminating namespaces, reports the remaining objects in the status, and finalizes empty ones.
 */
export function startNamespaceDeletion(options: NamespaceDeletionOptions): BackgroundTask {
  const { store, onError } = options
  const resources = storedResources(options.registry)
  const queue = new RetryQueue((name) => empty(options, resources, name), onError)
  const { entries, revision } = store.list(prefix)
  for (const { value } of entries) if (isTerminating(value)) queue.add(value.metadata.name)
  const watch = store.watch('/', revision, ({ type, entry }) => {
    const { value } = entry
    if (entry.key.startsWith(prefix)) {
      if (type !== 'DELETED' && isTerminating(value)) queue.add(value.metadata.name)
      return
    }
    const { namespace } = value.metadata
    if (type !== 'DELETED' || namespace === undefined) return
    const owner = store.get(`${prefix}${namespace}`)?.value
    if (owner !== undefined && isTerminating(owner)) queue.add(namespace)
  })
  return {
    async stop() {
      watch.close()
      await queue.stop()
    },
    idle: () => queue.idle(),
  }
}

interface NamespaceParts {
  spec?: { finalizers?: string[] }
  status?: { phase?: string; conditions?: NamespaceCondition[] }
}

interface NamespaceCondition {
  type: string
  status: 'True' | 'False'
  reason: string
  message: string
  lastTransitionTime: string
}

function isTerminating(namespace: KubeObject): boolean {
  const { spec } = namespace as NamespaceParts
  return (
    namespace.metadata.deletionTimestamp !== undefined &&
    (spec?.finalizers ?? []).includes(finalizer)
  )
}

async function empty(
  options: NamespaceDeletionOptions,
  resources: StoredResources,
  name: string,
): Promise<void> {
  const { store, registry, client, clock } = options
  const namespace = store.get(`${prefix}${name}`)?.value
  const served = registry.find('', 'v1', 'namespaces')
  if (namespace === undefined || served === undefined || !isTerminating(namespace)) return
  const target = { resource: served, namespace: '', name }
  for (const resource of deletable(resources)) {
    for (const { value } of store.list(listPrefix(resource, name)).entries) {
      if (value.metadata.deletionTimestamp !== undefined) continue
      await ignoreMissing(
        client.delete(
          { resource, namespace: name, name: value.metadata.name },
          { propagationPolicy: 'Background' },
        ),
      )
    }
  }

  const left = deletable(resources)
    .map((resource) => ({ resource, entries: store.list(listPrefix(resource, name)).entries }))
    .filter(({ entries }) => entries.length > 0)
  const { uid } = namespace.metadata
  const now = secondsTimestamp(clock())
  await ignoreMissing(
    client.update(
      target,
      (live) => (live.metadata.uid === uid ? withConditions(live, left, now) : undefined),
      'status',
    ),
  )
  if (left.length > 0) return
  await ignoreMissing(
    client.update(
      target,
      (live) => (live.metadata.uid === uid ? withoutFinalizer(live) : undefined),
      'finalize',
    ),
  )
}

/** Deletes Pods first, so that they stop before the objects that they use are deleted. */
function deletable(resources: StoredResources): Resource[] {
  return resources
    .all()
    .filter(({ namespaced, verbs }) => namespaced && verbs.includes('delete'))
    .sort((a, b) => Number(b.plural === 'pods') - Number(a.plural === 'pods'))
}

function withoutFinalizer(namespace: KubeObject): KubeObject {
  const { spec } = namespace as NamespaceParts
  const finalizers = (spec?.finalizers ?? []).filter((each) => each !== finalizer)
  return { ...namespace, spec: { ...spec, finalizers } }
}

interface Remaining {
  readonly resource: Resource
  readonly entries: readonly { readonly value: KubeObject }[]
}

function withConditions(
  namespace: KubeObject,
  left: readonly Remaining[],
  now: string,
): KubeObject {
  const { status } = namespace as NamespaceParts
  const previous = new Map((status?.conditions ?? []).map((each) => [each.type, each]))
  const conditions = conditionsFor(left).map((condition) => {
    const before = previous.get(condition.type)
    const since = before?.status === condition.status ? before.lastTransitionTime : now
    return { ...condition, lastTransitionTime: since }
  })
  return { ...namespace, status: { ...status, phase: 'Terminating', conditions } }
}

type ConditionUpdate = Omit<NamespaceCondition, 'lastTransitionTime'>

/** The five conditions of a terminating namespace, with the messages of kube-controller-manager. */
function conditionsFor(left: readonly Remaining[]): ConditionUpdate[] {
  return [
    {
      type: 'NamespaceDeletionDiscoveryFailure',
      status: 'False',
      reason: 'ResourcesDiscovered',
      message: 'All resources successfully discovered',
    },
    {
      type: 'NamespaceDeletionGroupVersionParsingFailure',
      status: 'False',
      reason: 'ParsedGroupVersions',
      message: 'All legacy kube types successfully parsed',
    },
    {
      type: 'NamespaceDeletionContentFailure',
      status: 'False',
      reason: 'ContentDeleted',
      message: 'All content successfully deleted, may be waiting on finalization',
    },
    contentRemaining(left),
    finalizersRemaining(left),
  ]
}

function contentRemaining(left: readonly Remaining[]): ConditionUpdate {
  const type = 'NamespaceContentRemaining'
  if (left.length === 0) {
    const message = 'All content successfully removed'
    return { type, status: 'False', reason: 'ContentRemoved', message }
  }
  const counts = left.map(
    ({ resource, entries }) => `${qualified(resource)} has ${entries.length} resource instances`,
  )
  const message = `Some resources are remaining: ${counts.sort().join(', ')}`
  return { type, status: 'True', reason: 'SomeResourcesRemain', message }
}

function finalizersRemaining(left: readonly Remaining[]): ConditionUpdate {
  const type = 'NamespaceFinalizersRemaining'
  const finalizers = new Map<string, number>()
  for (const { value } of left.flatMap(({ entries }) => entries)) {
    for (const each of value.metadata.finalizers ?? []) {
      finalizers.set(each, (finalizers.get(each) ?? 0) + 1)
    }
  }
  if (finalizers.size === 0) {
    const message = 'All content-preserving finalizers finished'
    return { type, status: 'False', reason: 'ContentHasNoFinalizers', message }
  }
  const waiting = [...finalizers]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([each, count]) => `${each} in ${count} resource instances`)
  const message = `Some content in the namespace has finalizers remaining: ${waiting.join(', ')}`
  return { type, status: 'True', reason: 'SomeFinalizersRemain', message }
}

function qualified({ plural, group }: Resource): string {
  return `${plural}.${group}`
}
