import type { Json } from '@agents/crd'
import { isObject, type JsonObject } from '../json/json-value.ts'
import type { ListType } from './field-type.ts'
import { keyElement, type PathElement, valueElement } from './path-element.ts'
import { TypedError } from './typed-error.ts'

/** The path element of an item of a set or keyed list. Throws TypedError if the item has no identity. */
export function listItemElement(list: ListType, item: Json): PathElement {
  return list.keys.length > 0 ? keyedElement(list, item) : setElement(item)
}

function keyedElement({ keys, keyDefaults }: ListType, item: Json): PathElement {
  if (item === null) {
    throw new TypedError('associative list with keys may not have a null element')
  }
  if (!isObject(item)) {
    throw new TypedError('associative list with keys may not have non-map elements')
  }
  const identity: JsonObject = {}
  let found = false
  for (const key of keys) {
    const value = Object.hasOwn(item, key) ? item[key] : keyDefaults[key]
    if (value === undefined) continue
    identity[key] = value
    found = true
  }
  if (!found) {
    const names = keys.map((key) => JSON.stringify(key)).join(' ')
    throw new TypedError(
      `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
    )
  }
  return keyElement(identity)
}

function setElement(item: Json): PathElement {
  if (item === null) {
    throw new TypedError("associative list without keys has an element that's an explicit null")
  }
  if (Array.isArray(item)) {
    throw new TypedError('not supported: associative list with lists as elements')
  }
  if (isObject(item)) {
    throw new TypedError("associative list without keys has an element that's a map type")
  }
  return valueElement(item)
}
