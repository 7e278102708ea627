import type { Json } from '@agents/crd'
import { isObject } from '../json/json-value.ts'
import { type FieldType, type ListType, type MapType, shapeOf } from './field-type.ts'
import { goJson } from './go-text.ts'
import { listItemElement } from './list-item-element.ts'
import { displayElement, fieldElement, type PathElement } from './path-element.ts'
import { TypedError } from './typed-error.ts'

/** Throws TypedError when an applied value does not fit its type; `.spec.foo: field not declared in schema`. */
export function checkTyped(type: FieldType, value: Json): void {
  const errors = errorsAt(type, value)
  if (errors.length === 1) throw new TypedError(errors[0] ?? '')
  if (errors.length > 1)
    throw new TypedError(['errors:', ...errors.map((e) => `  ${e}`)].join('\n'))
}

/** Formats errors as `path: message`, or as the message alone for the root. */
function errorsAt(type: FieldType, value: Json): string[] {
  if (value === null) return []
  switch (shapeOf(type, value)) {
    case 'map':
      if (type.map === undefined) return []
      return isObject(value)
        ? memberErrors(type.map, value)
        : [`: expected map, got ${formatJson(value)}`]
    case 'list':
      if (type.list === undefined) return []
      return Array.isArray(value)
        ? itemErrors(type.list, value)
        : [`: expected list, got ${formatJson(value)}`]
    default:
      return scalarErrors(type.scalar, value)
  }
}

function memberErrors(map: MapType, value: Record<string, Json>): string[] {
  const errors: string[] = []
  for (const name of Object.keys(value)) {
    const type = map.fields.get(name) ?? map.others
    if (type === undefined) {
      return [...errors, ...below(fieldElement(name), [': field not declared in schema'])]
    }
    const found = errorsAt(type, value[name] ?? null)
    if (found.length > 0) errors.push(...below(fieldElement(name), found))
  }
  return errors
}

function itemErrors(list: ListType, items: readonly Json[]): string[] {
  const errors: string[] = []
  const seen = items.length > 1 ? new Set<PathElement>() : undefined
  for (const [index, item] of items.entries()) {
    let element: PathElement = `i:${index}`
    if (!list.atomic) {
      try {
        element = listItemElement(list, item)
      } catch (error) {
        if (!(error instanceof TypedError)) throw error
        return [...errors, `: element ${index}: ${error.message}`]
      }
      if (seen?.has(element)) {
        errors.push(`: duplicate entries for key ${displayElement(element)}`)
      }
      seen?.add(element)
    }
    const found = errorsAt(list.items, item)
    if (found.length > 0) errors.push(...below(element, found))
  }
  return errors
}

function below(element: PathElement, errors: readonly string[]): string[] {
  return errors.map((error) => `${displayElement(element)}${error}`)
}

function scalarErrors(scalar: FieldType['scalar'], value: Json): string[] {
  switch (scalar) {
    case 'numeric':
      if (typeof value === 'number' || typeof value === 'bigint') return []
      return [`: expected numeric (int or float), got ${goTypeOf(value)}`]
    case 'string':
      return typeof value === 'string' ? [] : [`: expected string, got ${formatGoValue(value)}`]
    case 'boolean':
      return typeof value === 'boolean' ? [] : [`: expected boolean, got ${formatJson(value)}`]
    default:
      return typeof value === 'object' ? [`: expected any scalar, got ${formatJson(value)}`] : []
  }
}

function formatJson(value: Json): string {
  return `&{${plain(value)}}`
}

// The messages contain values as Go prints its types, and clients see them.
function plain(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(plain).join(' ')}]`
  if (!isObject(value)) return value === null ? '<nil>' : String(value)
  const members = Object.keys(value)
    .sort()
    .map((key) => `${key}:${plain(value[key] ?? null)}`)
  return `map[${members.join(' ')}]`
}

function formatGoValue(value: Json): string {
  return `&value.valueUnstructured{Value:${literal(value)}}`
}

function literal(value: Json): string {
  if (Array.isArray(value)) return `[]interface {}{${value.map(literal).join(', ')}}`
  if (!isObject(value)) return value === null ? 'interface {}(nil)' : goJson(value)
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${literal(value[key] ?? null)}`)
  return `map[string]interface {}{${members.join(', ')}}`
}

function goTypeOf(value: Json): string {
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'bool'
  return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}'
}
