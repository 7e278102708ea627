import type { Json } from '@agents/crd'
import { checkTyped } from '../../apply/check-typed.ts'
import type { FieldType } from '../../apply/field-type.ts'
import { merge } from '../../apply/merge.ts'
import { displayElement, fieldElement } from '../../apply/path-element.ts'
import { TypedError } from '../../apply/typed-error.ts'
import { isObject, type JsonObject } from '../../json/json-value.ts'
import { PatchError } from './patch-error.ts'

/**
 * Merges a configuration into an object like server-side apply, but without ownership. Rejects configurations that set
 * atomic lists, maps or structs, since setting some of their fields would remove the others.
 */
export function applyConfiguration(type: FieldType, object: Json, configuration: JsonObject): Json {
  typed('failed to convert patch object to typed object', () => checkTyped(type, configuration))
  if (hasAtomics(type, configuration)) {
    const atomics = atomicParts(type, configuration, '')
    throw new PatchError(
      `error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomics.join(', ')}`,
    )
  }
  return typed('failed to merge patch', () => merge(type, object, configuration))
}

function typed<Result>(what: string, act: () => Result): Result {
  try {
    return act()
  } catch (error) {
    if (!(error instanceof TypedError)) throw error
    throw new PatchError(`error applying patch: ${what}: ${error.message}`, { cause: error })
  }
}

/** Reports whether `atomicParts` finds any, without writing paths. */
function hasAtomics(type: FieldType, value: Json): boolean {
  if (Array.isArray(value)) {
    const { list } = type
    return list !== undefined && (list.atomic || value.some((item) => hasAtomics(list.items, item)))
  }
  if (!isObject(value) || type.map === undefined) return false
  if (type.map.atomic) return true
  for (const name of Object.keys(value)) {
    const field = type.map.fields.get(name)
    if (field !== undefined && hasAtomics(field, value[name] ?? null)) return true
  }
  return false
}

/** Paths of all atomic lists and maps in a value, below declared fields. */
function atomicParts(type: FieldType, value: Json, path: string): string[] {
  if (Array.isArray(value)) {
    const { list } = type
    if (list === undefined) return []
    const inner = value.flatMap((item, index) => atomicParts(list.items, item, `${path}[${index}]`))
    return list.atomic ? [path, ...inner] : inner
  }
  if (!isObject(value) || type.map === undefined) return []
  const { fields, atomic } = type.map
  const inner = Object.entries(value).flatMap(([name, member]) => {
    const field = fields.get(name)
    if (field === undefined) return []
    return atomicParts(field, member, `${path}${displayElement(fieldElement(name))}`)
  })
  return atomic ? [path, ...inner] : inner
}
