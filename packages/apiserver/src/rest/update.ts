import { type KubeObject, sameJson } from '@agents/kube'
import { copyJson } from '../json/json-value.ts'
import { keepUnchangedTimestamps } from '../metadata/managed-fields-times.ts'
import { pathSegment } from '../metadata/name-rules.ts'
import {
  dropDuplicateOwners,
  managerOf,
  matchNamespace,
  wipeSystemFields,
} from '../metadata/system-metadata.ts'
import { validateMetadata, validateMetadataUpdate } from '../metadata/validate-metadata.ts'
import type { Resource } from '../registry/resource.ts'
import type { RequestContext } from '../request/request-context.ts'
import { ApiError, badRequest, conflict, invalid, notFound } from '../status/api-error.ts'
import { invalidValue } from '../status/field-errors.ts'
import type { Decision, Entry } from '../store/store.ts'
import { converting } from './conversion-pending.ts'
import { kindOf, prepareNew, storedForm } from './create.ts'
import {
  limited,
  objectKey,
  type RestEnvironment,
  reportWrite,
  type Target,
} from './environment.ts'
import { versionProblem } from './resource-version.ts'
import {
  convertedEntry,
  type ResponseObject,
  responseEntry,
  toResponseObject,
} from './response-object.ts'

interface UpdateRequest {
  /**
   * Computes the desired object from the live one in the served version, or from undefined if it does not exist and can
   * be created. Must return a new object, which is mutated afterwards.
   */
  readonly desired: (live: KubeObject | undefined) => KubeObject
  /** Whether the object can be created even if its kind does not allow that (server-side apply). */
  readonly forceCreate: boolean
  /** The desired object already carries its managedFields (server-side apply). */
  readonly managed: boolean
  /**
   * The uid is a precondition (409 if it differs); otherwise it is an immutable field (422).
   */
  readonly uidIsPrecondition?: true
}

export interface UpdateOutcome {
  readonly payload: ResponseObject
  readonly created: boolean
}

/** Handles PUT and all PATCH formats as one decision inside the store's write, so that read and write are atomic. */
export async function updateObject(
  environment: RestEnvironment,
  target: Target,
  request: UpdateRequest,
  context: RequestContext,
): Promise<UpdateOutcome> {
  const { resource } = target
  const key = objectKey(resource, target.namespace, target.name)
  let planned: Plan | undefined
  let plannedRevision: number | undefined
  const decide = (current: Entry | undefined): Decision => {
    const revision = current?.revision ?? 0
    // A plan waits for its conversion, and remains valid if the object has not changed meanwhile.
    if (planned === undefined || plannedRevision !== revision) {
      planned = limited(environment, () => plan(environment, target, request, context, current))
      plannedRevision = revision
    }
    return decisionOf(resource, planned, current)
  }
  if (context.dryRun) {
    const current = environment.store.get(key)
    await converting(() => {
      planned = limited(environment, () => plan(environment, target, request, context, current))
    })
    if (planned === undefined) throw new Error('the store did not call the decision of an update')
    return { payload: toResponseObject(planned.object), created: planned.created }
  }
  const result = await converting(() => environment.store.write(key, decide))
  reportWrite(environment, context, result)
  if (planned === undefined) throw new Error('the store did not call the decision of an update')
  const plannedFor: Plan = planned
  // If the last finalizer was removed, the response is the object that the client wrote, not the deleted one.
  if (result.type === 'DELETED' || result.entry === undefined) {
    return { payload: toResponseObject(plannedFor.object), created: false }
  }
  return { payload: await convertedEntry(resource, result.entry), created: plannedFor.created }
}

interface Plan {
  readonly object: KubeObject
  readonly created: boolean
  /** The last finalizer was removed. */
  readonly isDeletion: boolean
}

function decisionOf(
  resource: Resource,
  { object, isDeletion }: Plan,
  current: Entry | undefined,
): Decision {
  if (isDeletion) return 'delete'
  const stored = storedForm(resource, object)
  return sameJson(stored, current?.value) ? 'unchanged' : { value: stored }
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

  const old = responseEntry(resource, current).value
  const desired = request.desired(old)
  checkIdentity(target, desired)
  if (request.uidIsPrecondition === true) checkUid(target, desired, old)
  dropDuplicateOwners(desired, context)
  const next = request.managed ? desired : owned(environment, target, context, old, desired)
  environment.admission.admit({ ...attributes(target, context), object: next, old })
  dropDuplicateOwners(next, context)
  checkVersion(target, next, old)
  prepareChanged(target, next, old, context)
  keepUnchangedTimestamps(next, old)
  environment.admission.validate({ ...attributes(target, context), object: next, old })
  if (isDeletionComplete(target, next, old)) {
    return { object: next, created: false, isDeletion: true }
  }
  return { object: next, created: false, isDeletion: false }
}

/** Updates managedFields. */
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
  const desired = request.desired(undefined)
  checkIdentity(target, desired)
  const uid = desired.metadata.uid ?? ''
  if (uid !== '') {
    const absent = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`
    const why = request.uidIsPrecondition === true ? uidMismatch(target, uid, '') : absent
    throw conflict(resource, target.name, why)
  }
  wipeSystemFields(desired)
  // A resourceVersion is a precondition, which an object that does not exist cannot meet.
  if ((desired.metadata.resourceVersion ?? '') !== '') throw notFound(resource, target.name)
  dropDuplicateOwners(desired, context)
  const next = request.managed ? desired : owned(environment, target, context, undefined, desired)
  prepareNew(environment, target, next, context)
  // Admission may have changed the name.
  checkIdentity(target, next)
  return { object: next, created: true, isDeletion: false }
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

function checkIdentity(target: Target, desired: KubeObject): void {
  matchNamespace(desired, target.resource.namespaced ? target.namespace : '')
  const { name } = desired.metadata
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

function checkUid(target: Target, desired: KubeObject, old: KubeObject): void {
  const uid = desired.metadata.uid ?? ''
  if (uid === '' || uid === old.metadata.uid) return
  throw conflict(target.resource, target.name, uidMismatch(target, uid, old.metadata.uid ?? ''))
}

function uidMismatch(target: Target, desired: string, actual: string): string {
  const key = `/registry${objectKey(target.resource, target.namespace, target.name)}`
  return `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${desired}, UID in object meta: ${actual}`
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
  // prepareForUpdate may have replaced the metadata.
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
    // Upstream validates the metadata of an update twice, which is visible in the causes.
    ...change,
    ...change,
    ...strategy.validateUpdate(next, old, context),
  ]
  if (errors.length > 0) throw invalid(kindOf(resource, next), metadata.name, errors)
  context.warnings.push(...(strategy.warnings?.(next, old) ?? []))
}

/** Reports whether nothing holds a deleted object any longer. */
function isDeletionComplete({ strategy }: Target, next: KubeObject, old: KubeObject): boolean {
  if ((next.metadata.finalizers ?? []).length > 0) return false
  if (old.metadata.deletionTimestamp === undefined) return false
  if ((old.metadata.deletionGracePeriodSeconds ?? 0) !== 0) return false
  return strategy.holdsDeletion?.(next) !== true
}

/** The desired object of a PUT: a copy of the body for each attempt. */
export function copiesOf(body: KubeObject): UpdateRequest['desired'] {
  return () => copyJson(body)
}
