import type { KubeObject } from '@agents/kube'
import { isJsonObject } from '../json/json-value.ts'
import { secondsTimestamp } from '../metadata/timestamps.ts'
import type { RequestContext } from '../request/request-context.ts'
import type { Status } from '../status/api-error.ts'
import { conflict, notFound } from '../status/api-error.ts'
import type { Decision, Entry } from '../store/store.ts'
import { converting } from './conversion-pending.ts'
import { storedForm } from './create.ts'
import type { DeleteOptions } from './delete-options.ts'
import {
  limited,
  objectKey,
  type RestEnvironment,
  reportWrite,
  type Target,
} from './environment.ts'
import {
  convertedEntry,
  type ResponseObject,
  responseEntry,
  toResponseObject,
} from './response-object.ts'

type DeleteOutcome =
  /** The Status to send if the object is deleted. */
  | { readonly status: Status }
  /** The object to send if it still exists with a deletionTimestamp, or if the kind returns deleted objects. */
  | { readonly payload: ResponseObject; readonly waiting: boolean }

export async function deleteObject(
  environment: RestEnvironment,
  target: Target,
  options: DeleteOptions,
  context: RequestContext,
  inCollection = false,
): Promise<DeleteOutcome> {
  const { resource } = target
  warnOfPropagation(target, options, context)
  const key = objectKey(resource, target.namespace, target.name)
  let planned: Plan | undefined
  let plannedRevision: number | undefined
  const decide = (current: Entry | undefined): Decision => {
    const revision = current?.revision ?? 0
    // A plan waits for its conversion, and remains valid if the object has not changed meanwhile.
    if (planned === undefined || plannedRevision !== revision) {
      planned = plan(environment, target, options, context, current, inCollection)
      plannedRevision = revision
    }
    const { decision, object } = planned
    return decision === 'write' ? { value: storedForm(resource, object) } : decision
  }
  let written: Entry | undefined
  if (options.dryRun) await converting(() => decide(environment.store.get(key)))
  else {
    const result = await converting(() => environment.store.write(key, decide))
    reportWrite(environment, context, result)
    written = result.entry
  }
  if (planned === undefined) throw new Error('the store did not call the decision of a delete')
  const { object, removed }: Plan = planned
  if (removed && target.strategy.returnsDeleted !== true) {
    return { status: deletedStatus(target, object) }
  }
  const payload =
    written === undefined || removed
      ? toResponseObject(object)
      : await convertedEntry(resource, written)
  return { payload, waiting: !removed }
}

function warnOfPropagation(
  { strategy }: Target,
  { propagationPolicy, orphanDependents }: DeleteOptions,
  { warnings }: RequestContext,
): void {
  const { defaultPropagationWarning: warning } = strategy
  if (propagationPolicy !== undefined || orphanDependents !== undefined) return
  // Sent once for a whole collection.
  if (warning !== undefined && !warnings.includes(warning)) warnings.push(warning)
}

interface Plan {
  readonly decision: 'write' | 'delete' | 'unchanged'
  readonly object: KubeObject
  readonly removed: boolean
}

function plan(
  environment: RestEnvironment,
  target: Target,
  options: DeleteOptions,
  context: RequestContext,
  current: Entry | undefined,
  inCollection: boolean,
): Plan {
  const { resource, strategy } = target
  if (current === undefined) throw notFound(resource, target.name)
  const old = responseEntry(resource, current).value
  checkPreconditions(target, options, old)
  const attributes = {
    operation: 'DELETE',
    resource,
    subresource: target.subresource,
    namespace: target.namespace,
    // Like upstream, admission sees no name for the objects of a deletecollection.
    name: inCollection ? '' : target.name,
    object: undefined,
    old,
    context,
    deleteOptions: options,
  } as const
  const admit = (): void => {
    environment.admission.admit(attributes)
    environment.admission.validate(attributes)
  }
  // A deletecollection has already deleted objects, so another thread cannot start it again.
  if (inCollection) admit()
  else limited(environment, admit)

  const object = deletable(old)
  strategy.prepareForDelete?.(object, context)
  const grace = applyGrace(target, object, options, context)
  if (grace === 'already') return { decision: 'unchanged', object: old, removed: false }
  setCollectionFinalizers(target, object, options)
  const held =
    (object.metadata.finalizers ?? []).length > 0 || strategy.holdsDeletion?.(object) === true
  if (grace === 'graceful') {
    return { decision: 'write', object, removed: false }
  }
  if (!held) {
    // Kinds with graceful deletion get a deletionTimestamp even with a grace period of 0.
    const last = strategy.gracefulDeletion === undefined ? old : object
    return { decision: 'delete', object: last, removed: true }
  }
  // The strategy may have set the deletionTimestamp already.
  const isStamped =
    object.metadata.deletionTimestamp !== undefined && old.metadata.deletionTimestamp === undefined
  if (!isStamped) markDeleting(object, context.now)
  // Objects that are held by more than finalizers (namespaces) have no grace period instead of 0.
  if (!isStamped && strategy.holdsDeletion?.(object) === true) {
    delete object.metadata.deletionGracePeriodSeconds
  }
  return { decision: 'write', object, removed: false }
}

/**
 * A copy with metadata and status of its own, which are all that a delete changes. A deep copy of a large object would
 * hold up other requests.
 */
function deletable(old: KubeObject & { readonly status?: unknown }): KubeObject {
  const object = { ...old, metadata: { ...old.metadata } }
  return isJsonObject(old.status) ? { ...object, status: { ...old.status } } : object
}

function checkPreconditions(
  target: Target,
  { preconditions }: DeleteOptions,
  old: KubeObject,
): void {
  // Like upstream, the message has the kind here instead of the resource.
  const named = { group: target.resource.group, plural: target.resource.kind }
  const uid = preconditions?.uid
  if (uid !== undefined && uid !== old.metadata.uid) {
    throw conflict(
      named,
      target.name,
      `the UID in the precondition (${uid}) does not match the UID in record (${old.metadata.uid ?? ''}). The object might have been deleted and then recreated`,
    )
  }
  const version = preconditions?.resourceVersion
  if (version !== undefined && version !== old.metadata.resourceVersion) {
    throw conflict(
      named,
      target.name,
      `the ResourceVersion in the precondition (${version}) does not match the ResourceVersion in record (${old.metadata.resourceVersion ?? ''}). The object might have been modified`,
    )
  }
}

/** `graceful`: the object stays for its grace period. `already`: a previous delete is still pending. */
function applyGrace(
  { strategy }: Target,
  object: KubeObject,
  options: DeleteOptions,
  context: RequestContext,
): 'graceful' | 'already' | 'now' {
  if (strategy.gracefulDeletion === undefined) return 'now'
  const { metadata } = object
  const requestedSeconds =
    options.gracePeriodSeconds === undefined
      ? undefined
      : options.gracePeriodSeconds < 0
        ? 1
        : options.gracePeriodSeconds
  if (metadata.deletionTimestamp !== undefined) {
    const pending = metadata.deletionGracePeriodSeconds ?? 0
    if (pending === 0) return 'now'
    if (requestedSeconds === undefined || requestedSeconds >= pending) return 'already'
    const start = Date.parse(metadata.deletionTimestamp) - pending * 1000
    const end = Math.max(start + requestedSeconds * 1000, context.now.getTime())
    metadata.deletionTimestamp = secondsTimestamp(new Date(end))
    metadata.deletionGracePeriodSeconds =
      end > start + requestedSeconds * 1000 && requestedSeconds !== 0 ? 1 : requestedSeconds
    return requestedSeconds === 0 ? 'now' : 'graceful'
  }
  const grace = strategy.gracefulDeletion(object, requestedSeconds)
  metadata.deletionTimestamp = secondsTimestamp(new Date(context.now.getTime() + grace * 1000))
  metadata.deletionGracePeriodSeconds = grace
  if ((metadata.generation ?? 0) > 0) metadata.generation = (metadata.generation ?? 0) + 1
  return grace > 0 ? 'graceful' : 'now'
}

/**
 * Sets the finalizers `orphan` and `foregroundDeletion` of the garbage collector by the propagation policy.
 */
function setCollectionFinalizers(
  { strategy }: Target,
  object: KubeObject,
  options: DeleteOptions,
): void {
  const finalizers = object.metadata.finalizers ?? []
  const policy = collectionPolicy(strategy.defaultPropagation, finalizers, options)
  const rest = finalizers.filter((one) => one !== 'orphan' && one !== 'foregroundDeletion')
  if (policy === 'Orphan') rest.push('orphan')
  if (policy === 'Foreground') rest.push('foregroundDeletion')
  if (rest.length === 0) delete object.metadata.finalizers
  else object.metadata.finalizers = rest
}

function collectionPolicy(
  fallback: 'Orphan' | 'Background' | undefined,
  finalizers: readonly string[],
  options: DeleteOptions,
): 'Orphan' | 'Foreground' | 'Background' {
  if (options.orphanDependents !== undefined)
    return options.orphanDependents ? 'Orphan' : 'Background'
  if (options.propagationPolicy !== undefined) return options.propagationPolicy
  const marker = finalizers.find((one) => one === 'orphan' || one === 'foregroundDeletion')
  if (marker !== undefined) return marker === 'orphan' ? 'Orphan' : 'Foreground'
  return fallback ?? 'Background'
}

function markDeleting(object: KubeObject, now: Date): void {
  const { metadata } = object
  if (metadata.deletionTimestamp === undefined && (metadata.generation ?? 0) > 0) {
    metadata.generation = (metadata.generation ?? 0) + 1
  }
  if (
    metadata.deletionTimestamp === undefined ||
    Date.parse(metadata.deletionTimestamp) > now.getTime()
  ) {
    metadata.deletionTimestamp = secondsTimestamp(now)
  }
  metadata.deletionGracePeriodSeconds = 0
}

function deletedStatus({ resource, name }: Target, object: KubeObject): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      name,
      ...(resource.group === '' ? {} : { group: resource.group }),
      kind: resource.plural,
      ...(object.metadata.uid === undefined ? {} : { uid: object.metadata.uid }),
    },
  }
}
