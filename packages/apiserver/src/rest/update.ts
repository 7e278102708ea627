import { type KubeObject, sameJson } from '@agents/kube'
import { ApiError, badRequest, conflict, invalid, notFound } from '../endpoints/api-error.ts'
import { copyJson } from '../json/json-value.ts'
import type { Decision, Entry } from '../store/store.ts'
import { kindOf, prepareNew, storedForm } from './create.ts'
import { objectKey, type RestEnvironment, type Target } from './environment.ts'
import { invalidValue } from './field-errors.ts'
import { keepUnchangedTimestamps } from './managed-fields-times.ts'
import { pathSegment } from './name-rules.ts'
import type { RequestContext } from './request-context.ts'
import { versionProblem } from './resource-version.ts'
import { type Shown, shownEntry, shownValue } from './shown.ts'
import {
  dropDuplicateOwners,
  managerOf,
  matchNamespace,
  wipeSystemFields,
} from './system-metadata.ts'
import { validateMetadata, validateMetadataUpdate } from './validate-metadata.ts'

export interface UpdateRequest {
  /**
   * The wished object, given the live one in the served version (undefined: there is none and creating is allowed). Must
   * return a fresh object: it is changed afterwards.
   */
  readonly wish: (live: KubeObject | undefined) => KubeObject
  /** Apply may create what is not there, whatever the kind says. */
  readonly forceCreate: boolean
  /** The wish already carries its managedFields (server-side apply). */
  readonly managed: boolean
  /** A uid says which object is meant (409 when it is another); otherwise it is a field that nobody can change (422). */
  readonly uidIsPrecondition?: true
}

export interface UpdateOutcome {
  readonly shown: Shown
  readonly created: boolean
}

/** PUT and every PATCH: one decision inside the store's write, so nothing can come between reading and writing. */
export async function updateObject(
  environment: RestEnvironment,
  target: Target,
  request: UpdateRequest,
  context: RequestContext,
): Promise<UpdateOutcome> {
  const { resource } = target
  const key = objectKey(resource, target.namespace, target.name)
  let planned: Plan | undefined
  const decide = (current: Entry | undefined): Decision => {
    planned = plan(environment, target, request, context, current)
    return planned.decision
  }
  if (context.dryRun) {
    const current = environment.store.get(key)
    decide(current)
    if (planned === undefined) throw new Error('an update was not planned')
    return { shown: shownValue(planned.object), created: planned.created }
  }
  const result = await environment.store.write(key, decide)
  if (planned === undefined) throw new Error('an update was not planned')
  const plannedFor: Plan = planned
  // The last finalizer went: the answer is the object as the client left it, not the deleted one.
  if (result.type === 'DELETED' || result.entry === undefined) {
    return { shown: shownValue(plannedFor.object), created: false }
  }
  return { shown: shownEntry(resource, result.entry), created: plannedFor.created }
}

interface Plan {
  readonly decision: Decision
  readonly object: KubeObject
  readonly created: boolean
}

function plan(
  environment: RestEnvironment,
  target: Target,
  request: UpdateRequest,
  context: RequestContext,
  current: Entry | undefined,
): Plan {
  const { resource } = target
  if (current === undefined) return planCreate(environment, target, request, context)

  const old = shownEntry(resource, current).value
  const wished = request.wish(old)
  checkIdentity(target, wished)
  if (request.uidIsPrecondition === true) checkUid(target, wished, old)
  dropDuplicateOwners(wished, context)
  const next = request.managed ? wished : owned(environment, target, context, old, wished)
  environment.admission.admit({ ...attributes(target, context), object: next, old })
  checkVersion(target, next, old)
  prepareChanged(target, next, old, context)
  keepUnchangedTimestamps(next, old)
  environment.admission.validate({ ...attributes(target, context), object: next, old })
  if (isFinallyGone(target, next, old)) {
    return { decision: 'delete', object: next, created: false }
  }
  const stored = storedForm(resource, next)
  const decision = sameJson(stored, current.value) ? 'unchanged' : { value: stored }
  return { decision, object: next, created: false }
}

/** With who owns what after this write. */
function owned(
  { fieldManager }: RestEnvironment,
  { resource, strategy, subresource }: Target,
  context: RequestContext,
  live: KubeObject | undefined,
  next: KubeObject,
): KubeObject {
  if (fieldManager === undefined) return next
  const manager = managerOf(context)
  return fieldManager.onUpdate({
    ...{ resource, strategy, subresource, live, next },
    ...{ manager, now: context.now },
  })
}

function planCreate(
  environment: RestEnvironment,
  target: Target,
  request: UpdateRequest,
  context: RequestContext,
): Plan {
  const { resource, strategy } = target
  const allowed = target.subresource === '' && (request.forceCreate || strategy.allowCreateOnUpdate)
  if (!allowed) throw notFound(resource, target.name)
  const wished = request.wish(undefined)
  checkIdentity(target, wished)
  const uid = wished.metadata.uid ?? ''
  if (uid !== '') {
    const absent = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`
    const why = request.uidIsPrecondition === true ? uidMismatch(target, uid, '') : absent
    throw conflict(resource, target.name, why)
  }
  wipeSystemFields(wished)
  // A version that names an object cannot be met by one that is not there.
  if ((wished.metadata.resourceVersion ?? '') !== '') throw notFound(resource, target.name)
  dropDuplicateOwners(wished, context)
  const next = request.managed ? wished : owned(environment, target, context, undefined, wished)
  prepareNew(environment, target, next, context)
  return { decision: { value: storedForm(resource, next) }, object: next, created: true }
}

function attributes(target: Target, context: RequestContext) {
  return {
    operation: 'UPDATE',
    resource: target.resource,
    subresource: target.subresource,
    namespace: target.namespace,
    name: target.name,
    context,
  } as const
}

function checkIdentity(target: Target, wished: KubeObject): void {
  matchNamespace(wished, target.resource.namespaced ? target.namespace : '')
  const { name } = wished.metadata
  if ((name ?? '') === '') {
    throw badRequest(
      `the name of the object (${target.name} based on URL) was undeterminable: name must be provided`,
    )
  }
  if (name !== target.name) {
    throw badRequest(
      `the name of the object (${name}) does not match the name on the URL (${target.name})`,
    )
  }
}

function checkUid(target: Target, wished: KubeObject, old: KubeObject): void {
  const uid = wished.metadata.uid ?? ''
  if (uid === '' || uid === old.metadata.uid) return
  throw conflict(target.resource, target.name, uidMismatch(target, uid, old.metadata.uid ?? ''))
}

function uidMismatch(target: Target, wished: string, actual: string): string {
  const key = `/registry${objectKey(target.resource, target.namespace, target.name)}`
  return `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${wished}, UID in object meta: ${actual}`
}

function checkVersion(
  { resource, strategy, name }: Target,
  next: KubeObject,
  old: KubeObject,
): void {
  const version = next.metadata.resourceVersion ?? ''
  const problem = version === '' ? undefined : versionProblem(version)
  if (problem !== undefined) throw new ApiError(500, '', problem)
  if (version === '' || version === '0') {
    if (!strategy.allowUnconditionalUpdate) {
      throw invalid({ group: resource.group, kind: resource.plural }, name, [
        invalidValue('metadata.resourceVersion', 0, 'must be specified for an update'),
      ])
    }
    if (old.metadata.resourceVersion !== undefined) {
      next.metadata.resourceVersion = old.metadata.resourceVersion
    }
  } else if (version !== old.metadata.resourceVersion) {
    throw conflict(resource, name)
  }
}

function prepareChanged(
  { resource, strategy }: Target,
  next: KubeObject,
  old: KubeObject,
  context: RequestContext,
): void {
  const before = old.metadata
  const after = next.metadata
  if (before.generation === undefined) delete after.generation
  else after.generation = before.generation
  strategy.prepareForUpdate(next, old, context)
  // Preparing may have replaced the metadata.
  const metadata = next.metadata as KubeObject['metadata'] & { selfLink?: unknown }
  delete metadata.selfLink
  if ((metadata.uid ?? '') === '' && before.uid !== undefined) metadata.uid = before.uid
  if (before.creationTimestamp !== undefined) {
    metadata.creationTimestamp = before.creationTimestamp
  }
  if (before.deletionTimestamp !== undefined) {
    metadata.deletionTimestamp = before.deletionTimestamp
  }
  if (before.deletionGracePeriodSeconds !== undefined) {
    metadata.deletionGracePeriodSeconds ??= before.deletionGracePeriodSeconds
  }
  const wrong = validateMetadata(next, resource.namespaced, pathSegment)
  const change = validateMetadataUpdate(next, old, wrong.length === 0)
  const errors = [
    ...wrong,
    // Upstream checks the metadata of an update twice, in the frame and in the kind; causes show it.
    ...change,
    ...change,
    ...strategy.validateUpdate(next, old, context),
  ]
  if (errors.length > 0) throw invalid(kindOf(resource, next), metadata.name, errors)
  context.warnings.push(...(strategy.warnings?.(next, old) ?? []))
}

/** The last thing that held a deleted object has let go. */
function isFinallyGone({ strategy }: Target, next: KubeObject, old: KubeObject): boolean {
  if ((next.metadata.finalizers ?? []).length > 0) return false
  if (old.metadata.deletionTimestamp === undefined) return false
  if ((old.metadata.deletionGracePeriodSeconds ?? 0) !== 0) return false
  return strategy.holdsDeletion?.(next) !== true
}

/** For PUT: the body itself, copied because the store may ask again. */
export function wishOf(body: KubeObject): UpdateRequest['wish'] {
  return () => copyJson(body)
}
