import { listItem, listItems, listOf, mapSize } from '../container.ts'
import { type Apply, fn, type Library, method } from '../declaration.ts'
import { BOOL, DYN, INT, listType, mapType, optionalType, STRING, typeParam } from '../type.ts'
import {
  CelError,
  isBoxed,
  isList,
  isOptional,
  NO_SUCH_OVERLOAD,
  NONE,
  optional,
  type Value,
} from '../value.ts'

const K = typeParam('K')
const V = typeParam('V')
const OPTIONAL = optionalType(V)
const LIST = listType(V)
const MAP = mapType(K, V)

/** Values that may be absent. `or`, `orValue` and the selections are lazy, and so left to the planner. */
export const optionals: Library = [
  ['optional.of', [fn('optional_of', [V], OPTIONAL, ([value = null]) => optional(value))]],
  ['optional.none', [fn('optional_none', [], OPTIONAL, () => NONE)]],
  [
    'optional.ofNonZeroValue',
    [
      fn('optional_ofNonZeroValue', [V], OPTIONAL, ([value = null]) =>
        isZero(value) ? NONE : optional(value),
      ),
    ],
  ],
  ['value', [method('optional_value', [OPTIONAL], V, unwrap)]],
  [
    'hasValue',
    [
      method('optional_hasValue', [OPTIONAL], BOOL, ([value = null]) =>
        isOptional(value) ? value.value !== undefined : NO_SUCH_OVERLOAD,
      ),
    ],
  ],
  ['or', [method('optional_or_optional', [OPTIONAL, OPTIONAL], OPTIONAL, planned)]],
  ['orValue', [method('optional_orValue_value', [OPTIONAL, V], V, planned)]],
  ['_?._', [fn('select_optional_field', [DYN, STRING], OPTIONAL, planned)]],
  [
    '_[?_]',
    [
      fn('list_optindex_optional_int', [LIST, INT], OPTIONAL, planned),
      fn('optional_list_optindex_optional_int', [optionalType(LIST), INT], OPTIONAL, planned),
      fn('map_optindex_optional_value', [MAP, K], OPTIONAL, planned),
      fn('optional_map_optindex_optional_value', [optionalType(MAP), K], OPTIONAL, planned),
    ],
  ],
  [
    '_[_]',
    [
      fn('optional_list_index_int', [optionalType(LIST), INT], OPTIONAL, planned),
      fn('optional_map_index_value', [optionalType(MAP), K], OPTIONAL, planned),
    ],
  ],
  ['first', [method('list_first', [LIST], OPTIONAL, itemAt(0))]],
  ['last', [method('list_last', [LIST], OPTIONAL, itemAt(-1))]],
  ['optional.unwrap', [fn('optional_unwrap', [listType(OPTIONAL)], LIST, unwrapList)]],
  ['unwrapOpt', [method('optional_unwrapOpt', [listType(OPTIONAL)], LIST, unwrapList)]],
]

function planned(): Value {
  return NO_SUCH_OVERLOAD
}

function unwrap([value = null]: readonly Value[]): Value {
  if (!isOptional(value)) return NO_SUCH_OVERLOAD
  return value.value === undefined ? new CelError('optional.none() dereference') : value.value
}

function itemAt(index: 0 | -1): Apply {
  return ([list = null]) => {
    if (!isList(list)) return NO_SUCH_OVERLOAD
    const { length } = list.items
    return length === 0 ? NONE : optional(listItem(list, index === 0 ? 0 : length - 1))
  }
}

function unwrapList([list = null]: readonly Value[]): Value {
  if (!isList(list)) return NO_SUCH_OVERLOAD
  const values: Value[] = []
  for (const item of listItems(list)) {
    if (!isOptional(item)) return NO_SUCH_OVERLOAD
    if (item.value !== undefined) values.push(item.value)
  }
  return listOf(values)
}

/** Go's zero time, 0001-01-01T00:00:00Z, in nanoseconds since 1970. */
const YEAR_ONE = -62_135_596_800n * 1_000_000_000n

/** The value a field of that type has when nobody sets it. */
function isZero(value: Value): boolean {
  if (value === null || value === false || value === '' || value === 0 || value === 0n) return true
  if (value instanceof Uint8Array) return value.length === 0
  if (!isBoxed(value)) return false
  switch (value.kind) {
    case 'uint':
      return value.value === 0n
    case 'duration':
      return value.nanos === 0n
    case 'timestamp':
      return value.nanos === YEAR_ONE
    case 'list':
      return value.schema === undefined && value.items.length === 0
    case 'map':
      return mapSize(value) === 0
    case 'optional':
      return value.value === undefined
    default:
      return false
  }
}
