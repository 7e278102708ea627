import { type Apply, fn, type Library, method } from '../../declaration/declaration.ts'
import {
  boolType,
  dynType,
  intType,
  listType,
  mapType,
  optionalType,
  stringType,
  typeParam,
} from '../../type/type.ts'
import { listItem, listItems, listOf, mapSize } from '../../value/container.ts'
import {
  CelError,
  isBoxed,
  isList,
  isOptional,
  noOptional,
  noSuchOverload,
  optional,
  type Value,
} from '../../value/value.ts'

const typeK = typeParam('K')
const typeV = typeParam('V')
const optionalOfV = optionalType(typeV)
const listOfV = listType(typeV)
const mapOfV = mapType(typeK, typeV)

/** Functions on optional values. The planner evaluates `or`, `orValue` and the selections, because they are lazy. */
export const optionals: Library = [
  ['optional.of', [fn('optional_of', [typeV], optionalOfV, ([value = null]) => optional(value))]],
  ['optional.none', [fn('optional_none', [], optionalOfV, () => noOptional)]],
  [
    'optional.ofNonZeroValue',
    [
      fn('optional_ofNonZeroValue', [typeV], optionalOfV, ([value = null]) =>
        isZero(value) ? noOptional : optional(value),
      ),
    ],
  ],
  ['value', [method('optional_value', [optionalOfV], typeV, unwrap)]],
  [
    'hasValue',
    [
      method('optional_hasValue', [optionalOfV], boolType, ([value = null]) =>
        isOptional(value) ? value.value !== undefined : noSuchOverload,
      ),
    ],
  ],
  ['or', [method('optional_or_optional', [optionalOfV, optionalOfV], optionalOfV, planned)]],
  ['orValue', [method('optional_orValue_value', [optionalOfV, typeV], typeV, planned)]],
  ['_?._', [fn('select_optional_field', [dynType, stringType], optionalOfV, planned)]],
  [
    '_[?_]',
    [
      fn('list_optindex_optional_int', [listOfV, intType], optionalOfV, planned),
      fn(
        'optional_list_optindex_optional_int',
        [optionalType(listOfV), intType],
        optionalOfV,
        planned,
      ),
      fn('map_optindex_optional_value', [mapOfV, typeK], optionalOfV, planned),
      fn(
        'optional_map_optindex_optional_value',
        [optionalType(mapOfV), typeK],
        optionalOfV,
        planned,
      ),
    ],
  ],
  [
    '_[_]',
    [
      fn('optional_list_index_int', [optionalType(listOfV), intType], optionalOfV, planned),
      fn('optional_map_index_value', [optionalType(mapOfV), typeK], optionalOfV, planned),
    ],
  ],
  ['first', [method('list_first', [listOfV], optionalOfV, itemAt(0))]],
  ['last', [method('list_last', [listOfV], optionalOfV, itemAt(-1))]],
  ['optional.unwrap', [fn('optional_unwrap', [listType(optionalOfV)], listOfV, unwrapList)]],
  ['unwrapOpt', [method('optional_unwrapOpt', [listType(optionalOfV)], listOfV, unwrapList)]],
]

function planned(): Value {
  return noSuchOverload
}

function unwrap([value = null]: readonly Value[]): Value {
  if (!isOptional(value)) return noSuchOverload
  return value.value === undefined ? new CelError('optional.none() dereference') : value.value
}

function itemAt(index: 0 | -1): Apply {
  return ([list = null]) => {
    if (!isList(list)) return noSuchOverload
    const { length } = list.items
    return length === 0 ? noOptional : optional(listItem(list, index === 0 ? 0 : length - 1))
  }
}

function unwrapList([list = null]: readonly Value[]): Value {
  if (!isList(list)) return noSuchOverload
  const values: Value[] = []
  for (const item of listItems(list)) {
    if (!isOptional(item)) return noSuchOverload
    if (item.value !== undefined) values.push(item.value)
  }
  return listOf(values)
}

/** Go's zero time, 0001-01-01T00:00:00Z, in nanoseconds since 1970. */
const zeroTime = -62_135_596_800n * 1_000_000_000n

/** Whether the value is the zero value of its type. */
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
      return value.nanos === zeroTime
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
