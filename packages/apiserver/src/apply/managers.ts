import type { Json } from '@agents/crd'
import type { KubeObject, ManagedFieldsEntry } from '@agents/kube'
import type { FieldSet } from './field-set.ts'
import { byText, goJson } from './go-text.ts'
import type { KnownFieldSets } from './known-field-sets.ts'

/** The owned fields of each manager, by id. */
export type Managers = Map<ManagerId, Managed>

/** Identifies and orders managers; created by `managerId`. */
export type ManagerId = string

export interface Managed {
  readonly manager: string
  readonly operation: 'Apply' | 'Update'
  readonly subresource: string
  readonly apiVersion: string
  /** When the manager last changed a field, in RFC 3339; absent if it never did. */
  readonly time?: string | undefined
  readonly fields: FieldSet
}

/** An applier is the same manager in all API versions; an updater is a different one in each. */
export function managerId({
  manager,
  operation,
  subresource,
  apiVersion,
}: Omit<Managed, 'fields' | 'time'>): ManagerId {
  return [
    `{"manager":${goJson(manager)},"operation":"${operation}"`,
    ...(operation === 'Apply' || apiVersion === '' ? [] : [`"apiVersion":${goJson(apiVersion)}`]),
    ...(subresource === '' ? [] : [`"subresource":${goJson(subresource)}`]),
  ].join(',')
}

/** Decodes managedFields. Returns undefined if any entry is invalid. */
export function decodeManagers(
  entries: readonly ManagedFieldsEntry[],
  sets: KnownFieldSets,
): Managers | undefined {
  const managers: Managers = new Map()
  for (const entry of entries) {
    const { manager = '', operation, apiVersion = '', subresource = '', fieldsType, time } = entry
    if (operation !== 'Apply' && operation !== 'Update') return undefined
    if (apiVersion === '' || fieldsType !== 'FieldsV1') return undefined
    const fields = readFields((entry.fieldsV1 ?? {}) as Json, sets)
    if (fields === undefined) return undefined
    const managed = { manager, operation, subresource, apiVersion, time, fields }
    managers.set(managerId(managed), managed)
  }
  return managers
}

/** Returns the object without managedFields. */
export function withoutManagers(object: KubeObject): KubeObject {
  // An applied object may lack metadata, which is rejected later.
  const { managedFields: _managedFields, ...metadata } = (object.metadata as
    | KubeObject['metadata']
    | null
    | undefined) ?? { name: '' }
  return { ...object, metadata }
}

/** Returns the object with these managedFields, or without the field if there are none. */
export function withManagers(
  object: KubeObject,
  managers: Managers,
  sets: KnownFieldSets,
): KubeObject {
  const bare = withoutManagers(object)
  if (managers.size > 0) bare.metadata.managedFields = encodeManagers(managers, sets)
  return bare
}

function encodeManagers(managers: Managers, sets: KnownFieldSets): ManagedFieldsEntry[] {
  return [...managers.values()].sort(inListOrder).map((managed) => ({
    ...(managed.manager === '' ? {} : { manager: managed.manager }),
    operation: managed.operation,
    apiVersion: managed.apiVersion,
    ...(managed.time === undefined ? {} : { time: managed.time }),
    fieldsType: 'FieldsV1',
    fieldsV1: sets.encode(managed.fields),
    ...(managed.subresource === '' ? {} : { subresource: managed.subresource }),
  }))
}

/**
 * Reports whether the request resets all ownership: with one empty entry, or with an empty list. For custom resources
 * only the former counts, since upstream drops empty metadata first.
 */
export function isReset(
  entries: readonly ManagedFieldsEntry[] | null | undefined,
  isCustom: boolean,
): boolean {
  if (entries === undefined || entries === null || entries.length > 1) return false
  const [only] = entries
  return only === undefined ? !isCustom : Object.keys(only).length === 0
}

/** Seconds since the epoch. Entries without a time sort first. */
export function secondsOf({ time }: Managed): number {
  const milliseconds = time === undefined || time === null ? 0 : Date.parse(time)
  return Number.isNaN(milliseconds) ? 0 : Math.floor(milliseconds / 1000)
}

function readFields(fields: Json, sets: KnownFieldSets): FieldSet | undefined {
  try {
    return sets.decode(fields)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function inListOrder(a: Managed, b: Managed): number {
  return (
    byText(a.operation, b.operation) ||
    secondsOf(a) - secondsOf(b) ||
    byText(a.manager, b.manager) ||
    byText(a.apiVersion, b.apiVersion) ||
    byText(a.subresource, b.subresource)
  )
}
