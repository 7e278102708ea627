import type { Type } from '../type/type.ts'
import { listItem } from './container.ts'
import {
  isBoxed,
  isDuration,
  isList,
  isMap,
  isOpaque,
  isOptional,
  isTimestamp,
  isUint,
  type Value,
} from './value.ts'

/** Whether a value has a type. Only the first element of a list is checked. */
export function isInstance(value: Value, type: Type): boolean {
  switch (type.kind) {
    case 'dyn':
    case 'param':
    case 'error':
      return true
    case 'null':
      return value === null
    case 'bool':
      return typeof value === 'boolean'
    case 'int':
      return typeof value === 'bigint'
    case 'uint':
      return isUint(value)
    case 'double':
      return typeof value === 'number'
    case 'string':
      return typeof value === 'string'
    case 'bytes':
      return value instanceof Uint8Array
    case 'timestamp':
      return isTimestamp(value)
    case 'duration':
      return isDuration(value)
    case 'list': {
      if (!isList(value)) return false
      const [element] = type.params
      return (
        value.items.length === 0 || element === undefined || isInstance(listItem(value, 0), element)
      )
    }
    case 'map':
      return isMap(value)
    case 'type':
      return isBoxed(value) && value.kind === 'type'
    case 'struct':
    case 'opaque':
      if (isOptional(value)) return type.name === 'optional_type'
      return isOpaque(value) && value.type.name === type.name
  }
}
