import type { Json } from '@agents/crd'
import { isObject, type JsonObject } from '../json/json-value.ts'
import { parseBoundedJson } from '../json/parse-bounded-json.ts'
import { goJson, goQuoted } from './go-text.ts'

/**
 * One step of a field path in its serialized form, which is also its identity: `f:<name>` a member of an object,
 * `k:{"name":"x"}` an item of a keyed list, `v:"x"` an item of a set, `i:0` an item by position.
 */
export type PathElement = string

export function fieldElement(name: string): PathElement {
  return `f:${name}`
}

/** The element of a keyed list item. Missing keys without a default are not part of its identity. */
export function keyElement(keys: JsonObject): PathElement {
  return `k:${goJson(keys)}`
}

export function valueElement(value: Json): PathElement {
  return `v:${goJson(value)}`
}

export function isField(element: PathElement): boolean {
  return element.startsWith('f:')
}

export function fieldName(element: PathElement): string {
  return element.slice(2)
}

/**
 * Normalizes an element that a client wrote. Returns undefined for an unknown kind of element, which readers skip.
 * Throws SyntaxError for an invalid element.
 */
export function canonicalElement(text: string): PathElement | undefined {
  if (text.length < 2) throw new SyntaxError('key must be 2 characters long:')
  if (text[1] !== ':') throw new SyntaxError(`missing colon: ${text}`)
  switch (text[0]) {
    case 'f':
      return text
    case 'v':
      return valueElement(parseBoundedJson(text.slice(2)))
    case 'k': {
      const keys = parseBoundedJson(text.slice(2))
      if (!isObject(keys)) throw new SyntaxError(`expected an object: ${text}`)
      return keyElement(keys)
    }
    case 'i':
      if (!/^i:[+-]?\d+$/.test(text)) throw new SyntaxError(`invalid index: ${text}`)
      return `i:${Number(text.slice(2))}`
    default:
      return undefined
  }
}

/** Orders elements: fields, keys, values, indexes, each in their own order. */
export function sortElements(elements: PathElement[]): PathElement[] {
  // By UTF-16 code units, like `byText`.
  if (elements.every(isField)) return elements.sort()
  return elements
    .map((element) => ({
      element,
      rank: kinds.indexOf(element.charAt(0)),
      value: contentOf(element),
    }))
    .sort((a, b) => a.rank - b.rank || compareJson(a.value, b.value))
    .map(({ element }) => element)
}

/** Formats an element as in conflicts: `.spec`, `[name="x"]`, `[="x"]`, `[0]`. */
export function displayElement(element: PathElement): string {
  const content = contentOf(element)
  switch (element[0]) {
    case 'f':
      return `.${fieldName(element)}`
    case 'k':
      return `[${Object.entries(content as JsonObject)
        .map(([name, value]) => `${name}=${displayValue(value)}`)
        .join(',')}]`
    case 'v':
      return `[=${displayValue(content)}]`
    default:
      return `[${displayValue(content)}]`
  }
}

export function displayPath(path: readonly PathElement[]): string {
  return path.map(displayElement).join('')
}

const kinds = 'fkvi'

function contentOf(element: PathElement): Json {
  return isField(element) ? fieldName(element) : parseBoundedJson(element.slice(2))
}

function displayValue(value: Json): string {
  if (typeof value === 'string') return goQuoted(value)
  if (Array.isArray(value)) return `[${value.map(displayValue).join(',')}]`
  if (!isObject(value)) return String(value)
  return Object.entries(value)
    .map(([key, item]) => `${key}=${displayValue(item)}`)
    .join('')
}

/** A total order over values: numbers, strings, booleans, lists, objects, null. */
function compareJson(a: Json, b: Json): number {
  const rank = rankOf(a) - rankOf(b)
  if (rank !== 0) return rank
  if (Array.isArray(a) && Array.isArray(b)) return compareSequences(a, b)
  if (isObject(a) && isObject(b)) {
    return compareSequences(Object.entries(a).flat(), Object.entries(b).flat())
  }
  if (a === null || b === null || a === b) return 0
  return a < b ? -1 : Number(a > b)
}

function compareSequences(a: readonly Json[], b: readonly Json[]): number {
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    const order = compareJson(a[index] ?? null, b[index] ?? null)
    if (order !== 0) return order
  }
  return a.length - b.length
}

function rankOf(value: Json): number {
  if (value === null) return 5
  if (Array.isArray(value)) return 3
  return { number: 0, bigint: 0, string: 1, boolean: 2, object: 4 }[
    typeof value as 'number' | 'bigint' | 'string' | 'boolean' | 'object'
  ]
}
