import type { Json } from '@agents/crd'
import type { KubeObject } from '@agents/kube'
import type { JsonObject } from '../json/json-value.ts'
import type { Resource } from '../registry/resource.ts'
import type { Strategy } from '../registry/strategy.ts'
import type { FieldChange, FieldManager } from '../rest/field-manager.ts'
import { ApiError, badRequest } from '../status/api-error.ts'
import { capUpdaters } from './cap-updaters.ts'
import { checkTyped } from './check-typed.ts'
import { type Conflicts, conflictError } from './conflict.ts'
import { difference, type FieldSet, setOf, union } from './field-set.ts'
import { createFieldTypes, type FieldType, type FieldTypes } from './field-type.ts'
import { createKnownFieldSets, type KnownFieldSets } from './known-field-sets.ts'
import { fieldsOfLastApplied, lastAppliedManager, withLastApplied } from './last-applied.ts'
import {
  decodeManagers,
  isReset,
  type Managed,
  type Managers,
  managerId,
  withManagers,
  withoutManagers,
} from './managers.ts'
import {
  applyOwnership,
  type OwnershipChange,
  updateOwnership,
  type Versions,
} from './ownership.ts'
import { fieldElement } from './path-element.ts'
import { tidied } from './tidy.ts'
import { TypedError } from './typed-error.ts'

export interface FieldManagerOptions {
  /**
   * Finds the resource in another version, for managedFields entries of that version; undefined if it is not served. If
   * omitted, entries of other versions are dropped.
   */
  readonly otherVersion?: (resource: Resource, apiVersion: string) => OtherVersion | undefined
}

interface OtherVersion {
  readonly resource: Resource
  /** Converts from the version of the request. If omitted, only `apiVersion` differs. */
  readonly convert?: (object: KubeObject) => KubeObject
  readonly convertBack?: (object: KubeObject) => KubeObject
}

/** Creates a manager of field ownership that works like kube-apiserver's. Caches field types and field sets only. */
export function createFieldManager(options: FieldManagerOptions = {}): FieldManager {
  const types = createFieldTypes()
  const sets = createKnownFieldSets()
  const empty = new WeakMap<Resource, KubeObject>()
  const ignored = new WeakMap<Strategy, FieldSet>()
  const ignoredBy = (strategy: Strategy): FieldSet => {
    const known = ignored.get(strategy)
    if (known !== undefined) return known
    const fields = setOf(...(strategy.resetFields ?? []).map((path) => path.map(fieldElement)))
    ignored.set(strategy, fields)
    return fields
  }
  const emptyOf = (resource: Resource): KubeObject => {
    const known = empty.get(resource)
    if (known !== undefined) return known
    const live = emptyLive(resource)
    empty.set(resource, live)
    return live
  }
  const contextOf = (change: FieldChange): Context => ({
    change,
    live: change.live ?? emptyOf(change.resource),
    sets,
    versions: versionsOf(change.resource, types, options),
    type: typeOf(types, change.resource),
    ignored: ignoredBy(change.strategy),
  })
  return {
    onUpdate: (change) => onUpdate(contextOf(change), change.next),
    onApply: (change) => onApply(contextOf(change), change.applied, change.force),
  }
}

interface Context {
  readonly change: FieldChange
  /** The object before the change. Must not be mutated. */
  readonly live: KubeObject
  readonly sets: KnownFieldSets
  readonly versions: Versions
  readonly type: FieldType
  readonly ignored: FieldSet
}

/** Fields that are never owned. */
const unowned = setOf(
  ...[
    ['apiVersion'],
    ['kind'],
    ['metadata'],
    ...[
      'name',
      'namespace',
      'creationTimestamp',
      'selfLink',
      'uid',
      'clusterName',
      'generation',
      'managedFields',
      'resourceVersion',
    ].map((name) => ['metadata', name]),
  ].map((path) => path.map(fieldElement)),
)

function onUpdate(context: Context, next: KubeObject): KubeObject {
  const { change, sets } = context
  const managers = initialManagers(context, next)
  const bare = withoutManagers(next)
  // Tracking starts when an object is created or first applied to.
  const isCreate = (change.live?.metadata.uid ?? '') === ''
  if (managers.size === 0 && !isCreate) return bare
  try {
    const live = withoutManagers(context.live)
    const updated = recordUpdate(context, live, bare, managers, change.manager)
    capUpdaters(updated)
    return withManagers(bare, updated, sets)
  } catch (error) {
    // Ownership cannot be computed for an object that does not match its schema. Validation rejects it if needed.
    if (error instanceof TypedError) return bare
    throw error
  }
}

function initialManagers({ change, sets }: Context, next: KubeObject): Managers {
  const { resource, live, subresource } = change
  const stored = (): Managers =>
    decodeManagers(live?.metadata.managedFields ?? [], sets) ?? new Map()
  // managedFields cannot be set through a subresource.
  if (subresource !== '') return stored()
  const desired = next.metadata.managedFields
  if (isReset(desired, resource.isCustom)) return new Map()
  const managers = decodeManagers(desired ?? [], sets)
  return managers === undefined || managers.size === 0 ? stored() : managers
}

function recordUpdate(
  { change, sets, versions, ignored }: Context,
  live: KubeObject,
  next: KubeObject,
  managers: Managers,
  manager: string,
): Managers {
  const updater = {
    manager: manager === '' ? 'unknown' : manager,
    operation: 'Update',
    subresource: change.subresource,
    apiVersion: versions.apiVersion,
  } as const
  const id = managerId(updater)
  const updated = updateOwnership({
    versions,
    sets,
    ignored,
    live: asJson(live),
    next: asJson(next),
    managers,
  })
  const fields = difference(updated.fields, unowned)
  if (fields.size === 0) return updated.managers
  const left = updated.managers.get(id)
  updated.managers.set(id, {
    ...updater,
    time: timeOf(change) ?? left?.time,
    fields: left === undefined ? fields : union(fields, left.fields),
  })
  return updated.managers
}

function onApply(context: Context, applied: KubeObject, force: boolean): KubeObject {
  const { change, live, type, versions, sets } = context
  checkKind(change.resource, applied)
  const stored = decodeManagers(live.metadata.managedFields ?? [], sets)
  if (stored === undefined) throw internal('failed to decode managed fields')
  let managers = stored
  if (managers.size === 0) {
    const empty = emptyLive(change.resource)
    managers = recordUpdate(context, empty, live, managers, 'before-first-apply')
  }
  if ((applied.metadata?.managedFields ?? undefined) !== undefined) {
    throw badRequest('metadata.managedFields must be nil')
  }
  checkApplied(type, applied)
  const applier = {
    manager: change.manager,
    operation: 'Apply',
    subresource: change.subresource,
    apiVersion: versions.apiVersion,
  } as const
  const request: ApplyRequest = { ...applier, live, applied, managers }
  const outcome = forgivingApply(context, request, force)
  const changedTo = outcome.object as unknown as KubeObject | undefined
  finish(outcome.managers, applier, changedTo === undefined ? undefined : timeOf(change))
  const result = withManagers(changedTo ?? live, outcome.managers, sets)
  if (changedTo === undefined) return annotated(result, change.manager, applied)
  const fresh = tidied(type, result, change.resource.isCustom)
  reshape(change, fresh, applied)
  return annotated(fresh, change.manager, applied)
}

/** Decodes the merged value to an object of its kind. The caller sets defaults. */
function reshape({ strategy }: FieldChange, merged: KubeObject, applied: KubeObject): void {
  try {
    strategy.prune(merged)
  } catch (error) {
    // The message of Go's decoder.
    if (!(error instanceof TypeError)) throw error
    throw internal(
      `failed to convert new object (${identity(applied)}) to proper version: unable to convert unstructured object to ${kindOf(applied)}: ${error.message}`,
    )
  }
}

function annotated(object: KubeObject, manager: string, applied: KubeObject): KubeObject {
  return manager === lastAppliedManager ? withLastApplied(object, applied) : object
}

interface ApplyRequest extends Omit<Managed, 'fields' | 'time'> {
  readonly live: KubeObject
  readonly applied: KubeObject
  readonly managers: Managers
}

interface Applied {
  readonly object: Json | undefined
  readonly managers: Managers
}

/** Lets `kubectl apply --server-side` take over the fields that client-side `kubectl apply` has set. */
function forgivingApply(context: Context, request: ApplyRequest, force: boolean): Applied {
  const { versions, sets, ignored, type } = context
  const { live, applied, managers, ...applier } = request
  const change: OwnershipChange = { versions, sets, ignored, live: asJson(live), managers }
  const attempt = { ...change, applied: asJson(applied), applier, id: managerId(applier) }
  const outcome = applyOwnership({ ...attempt, force })
  if (outcome.conflicts === undefined) return outcome
  if (applier.manager !== lastAppliedManager) throw conflictError(outcome.conflicts)
  const allowed = fieldsOfLastApplied(type, live)
  const remaining = allowed === undefined ? outcome.conflicts : without(outcome.conflicts, allowed)
  if (remaining.size > 0) throw conflictError(remaining)
  const forced = applyOwnership({ ...attempt, force: true })
  if (forced.conflicts !== undefined) throw new Error('a forced apply has no conflicts')
  return forced
}

function without(conflicts: Conflicts, allowed: FieldSet): Conflicts {
  const remaining = [...conflicts].map(
    ([id, { owner, fields }]) => [id, { owner, fields: difference(fields, allowed) }] as const,
  )
  return new Map(remaining.filter(([, { fields }]) => fields.size > 0))
}

/** Strips fields that are never owned, and sets the time if the object changed. */
function finish(
  managers: Managers,
  applier: Omit<Managed, 'fields' | 'time'>,
  time: string | undefined,
): void {
  const id = managerId(applier)
  const managed = managers.get(id)
  if (managed === undefined) return
  const fields = difference(managed.fields, unowned)
  if (fields.size === 0) managers.delete(id)
  else managers.set(id, { ...managed, fields, time: time ?? managed.time })
}

function checkKind({ group, version, kind }: Resource, applied: KubeObject): void {
  if (kindOf(applied) === `${group}/${version}, Kind=${kind}`) return
  throw badRequest(`invalid object type: ${kindOf(applied)}`)
}

/** Formats a kind as Go does: `apps/v1, Kind=Deployment`, or `/v1, Kind=Pod` for the core group. */
function kindOf(object: Partial<KubeObject>): string {
  const apiVersion = textOf(object.apiVersion)
  return `${apiVersion.includes('/') ? '' : '/'}${apiVersion}, Kind=${textOf(object.kind)}`
}

/** Checks the types of fields that have not been validated yet. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function identity(object: KubeObject): string {
  const { namespace, name } = object.metadata ?? {}
  return `${textOf(namespace)}/${textOf(name)}; ${kindOf(object)}`
}

function checkApplied(type: FieldType, applied: KubeObject): void {
  try {
    checkTyped(type, asJson(applied))
  } catch (error) {
    if (!(error instanceof TypedError)) throw error
    throw internal(`failed to create typed patch object (${identity(applied)}): ${error.message}`)
  }
}

/**
 * The object that creates are compared with. Upstream's built-in kinds are structs, some of whose parts always exist: a
 * manager that fills them in owns the fields inside, but not the parts themselves.
 */
function emptyLive({ group, version, kind, isCustom, strategy }: Resource): KubeObject {
  const apiVersion = group === '' ? version : `${group}/${version}`
  const empty = { apiVersion, kind, metadata: {} } as unknown as KubeObject
  if (!isCustom) strategy.prune(empty)
  return empty
}

function versionsOf(
  resource: Resource,
  types: FieldTypes,
  { otherVersion }: FieldManagerOptions,
): Versions {
  const { group, version } = resource
  const own = group === '' ? version : `${group}/${version}`
  return {
    apiVersion: own,
    typeIn(apiVersion) {
      if (apiVersion === own) return typeOf(types, resource)
      const other = otherVersion?.(resource, apiVersion)
      return other === undefined ? undefined : typeOf(types, other.resource)
    },
    convert(object, apiVersion) {
      const from = (object as JsonObject).apiVersion
      if (from === apiVersion) return object
      const other = otherVersion?.(resource, apiVersion === own ? String(from) : apiVersion)
      const convert = apiVersion === own ? other?.convertBack : other?.convert
      if (convert !== undefined) return asJson(convert(object as unknown as KubeObject))
      return { ...(object as JsonObject), apiVersion }
    },
  }
}

function typeOf(types: FieldTypes, { isCustom, schema }: Resource): FieldType {
  return isCustom ? types.ofCustomResource(schema) : types.ofSchema(schema)
}

/** Entries of the scale subresource have no time. */
function timeOf({ subresource, now }: FieldChange): string | undefined {
  return subresource === 'scale' ? undefined : `${now.toISOString().slice(0, 19)}Z`
}

function asJson(object: KubeObject): Json {
  return object as unknown as Json
}

function internal(message: string): ApiError {
  return new ApiError(500, '', message)
}
