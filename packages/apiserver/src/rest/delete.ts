import type { KubeObject } from '@agents/kube'
import type { Status } from '../endpoints/api-error.ts'
import { conflict, notFound } from '../endpoints/api-error.ts'
import { copyJson } from '../json/json-value.ts'
import type { Decision, Entry } from '../store/store.ts'
import { storedForm } from './create.ts'
import type { DeleteOptions } from './delete-options.ts'
import { objectKey, type RestEnvironment, type Target } from './environment.ts'
import type { RequestContext } from './request-context.ts'
import { type Shown, shownEntry, shownValue } from './shown.ts'
import { secondsTimestamp } from './timestamps.ts'

export type DeleteOutcome =
  /** Gone, or as good as: the answer is a Status. */
  | { readonly status: Status }
  /** Still there with a deletionTimestamp, or a kind that answers with the deleted object. */
  | { readonly shown: Shown; readonly waiting: boolean }

export async function deleteObject(
  environment: RestEnvironment,
  target: Target,
  options: DeleteOptions,
  context: RequestContext,
): Promise<DeleteOutcome> {
  const { resource } = target
  warnOfPropagation(target, options, context)
  const key = objectKey(resource, target.namespace, target.name)
  let planned: Plan | undefined
  const decide = (current: Entry | undefined): Decision => {
    planned = plan(environment, target, options, context, current)
    return planned.decision
  }
  let written: Entry | undefined
  if (options.dryRun) decide(environment.store.get(key))
  else written = (await environment.store.write(key, decide)).entry
  if (planned === undefined) throw new Error('a delete was not planned')
  const { object, removed }: Plan = planned
  if (removed && target.strategy.returnsDeleted !== true) {
    return { status: deletedStatus(target, object) }
  }
  const shown =
    written === undefined || removed ? shownValue(object) : shownEntry(resource, written)
  return { shown, waiting: !removed }
}

function warnOfPropagation(
  { strategy }: Target,
  { propagationPolicy, orphanDependents }: DeleteOptions,
  { warnings }: RequestContext,
): void {
  const { defaultPropagationWarning: warning } = strategy
  if (propagationPolicy !== undefined || orphanDependents !== undefined) return
  // Once for a whole collection.
  if (warning !== undefined && !warnings.includes(warning)) warnings.push(warning)
}

interface Plan {
  readonly decision: Decision
  readonly object: KubeObject
  readonly removed: boolean
}

function plan(
  environment: RestEnvironment,
  target: Target,
  options: DeleteOptions,
  context: RequestContext,
  current: Entry | undefined,
): Plan {
  const { resource, strategy } = target
  if (current === undefined) throw notFound(resource, target.name)
  const old = shownEntry(resource, current).value
  checkPreconditions(target, options, old)
  const attributes = {
    operation: 'DELETE',
    resource,
    subresource: target.subresource,
    namespace: target.namespace,
    name: target.name,
    object: undefined,
    old,
    context,
  } as const
  environment.admission.admit(attributes)
  environment.admission.validate(attributes)

  const object = copyJson(old)
  strategy.prepareForDelete?.(object, context)
  const grace = applyGrace(target, object, options, context)
  if (grace === 'already') return { decision: 'unchanged', object: old, removed: false }
  setCollectionFinalizers(target, object, options)
  const held =
    (object.metadata.finalizers ?? []).length > 0 || strategy.holdsDeletion?.(object) === true
  if (grace === 'graceful') {
    return { decision: { value: storedForm(resource, object) }, object, removed: false }
  }
  if (!held) {
    // Kinds that take their time are stamped even when they take none.
    const last = strategy.gracefulDeletion === undefined ? old : object
    return { decision: 'delete', object: last, removed: true }
  }
  // A kind that stamps the object itself does it in its own way.
  const isStamped =
    object.metadata.deletionTimestamp !== undefined && old.metadata.deletionTimestamp === undefined
  if (!isStamped) markDeleting(object, context.now)
  // What is held by more than finalizers (a namespace) has no time at all, not one that is over.
  if (!isStamped && strategy.holdsDeletion?.(object) === true) {
    delete object.metadata.deletionGracePeriodSeconds
  }
  return { decision: { value: storedForm(resource, object) }, object, removed: false }
}

function checkPreconditions(
  target: Target,
  { preconditions }: DeleteOptions,
  old: KubeObject,
): void {
  // Upstream names the kind here where every other conflict names the resource.
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

/** `graceful`: the object stays for its grace period; `already`: an earlier delete is still waiting. */
function applyGrace(
  { strategy }: Target,
  object: KubeObject,
  options: DeleteOptions,
  context: RequestContext,
): 'graceful' | 'already' | 'now' {
  if (strategy.gracefulDeletion === undefined) return 'now'
  const { metadata } = object
  const asked =
    options.gracePeriodSeconds === undefined
      ? undefined
      : options.gracePeriodSeconds < 0
        ? 1
        : options.gracePeriodSeconds
  if (metadata.deletionTimestamp !== undefined) {
    const pending = metadata.deletionGracePeriodSeconds ?? 0
    if (pending === 0) return 'now'
    if (asked === undefined || asked >= pending) return 'already'
    const start = Date.parse(metadata.deletionTimestamp) - pending * 1000
    const end = Math.max(start + asked * 1000, context.now.getTime())
    metadata.deletionTimestamp = secondsTimestamp(new Date(end))
    metadata.deletionGracePeriodSeconds = end > start + asked * 1000 && asked !== 0 ? 1 : asked
    return asked === 0 ? 'now' : 'graceful'
  }
  const grace = strategy.gracefulDeletion(object, asked)
  metadata.deletionTimestamp = secondsTimestamp(new Date(context.now.getTime() + grace * 1000))
  metadata.deletionGracePeriodSeconds = grace
  if ((metadata.generation ?? 0) > 0) metadata.generation = (metadata.generation ?? 0) + 1
  return grace > 0 ? 'graceful' : 'now'
}

/** The garbage collector works on the finalizers `orphan` and `foregroundDeletion`; the policy of the request replaces them. */
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
