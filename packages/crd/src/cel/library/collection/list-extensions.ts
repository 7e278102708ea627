import {
  addRanges,
  fixed,
  multiplyRanges,
  type Range,
  saturated,
  scaleRange,
} from '../../cost/range.ts'
import {
  allocationCost,
  costKeyComparison,
  costSelfComparison,
  sizeOf,
} from '../../declaration/call-cost.ts'
import {
  type CallEstimate,
  type Estimate,
  type EstimateNode,
  listCreateCost,
  stringFactor,
} from '../../declaration/call-estimate.ts'
import { type Budget, fn, type Library, method } from '../../declaration/declaration.ts'
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  stringType,
  type Type,
  timestampType,
  typeParam,
  uintType,
} from '../../type/type.ts'
import { compare, isComparable } from '../../value/compare.ts'
import { listItem, listItems, listOf } from '../../value/container.ts'
import { equal } from '../../value/equality.ts'
import { CelError, isList, noSuchOverload, typeNameOf, type Value } from '../../value/value.ts'

const typeT = typeParam('T')
const listOfT = listType(typeT)
const comparableTypes = [
  intType,
  uintType,
  doubleType,
  boolType,
  durationType,
  timestampType,
  stringType,
  bytesType,
]

/** The list functions of the CEL extension library, version 3. */
export const listExtensions: Library = [
  [
    'slice',
    [
      method('list_slice', [listOfT, intType, intType], listOfT, slice, {
        cost: (_args, result) => allocationCost(sizeOf(result), 1),
        estimate: estimateSlice,
      }),
    ],
  ],
  [
    'flatten',
    [
      method('list_flatten', [listType(listOfT)], listOfT, flatten, {
        cost: ([list]) => allocationCost(sizeOf(list), 1),
        estimate: estimateFlatten,
      }),
      method('list_flatten_int', [listType(dynType), intType], listType(dynType), flatten, {
        cost: ([list, depth]) => allocationCost(sizeOf(list), Number(depth)),
        estimate: estimateFlatten,
      }),
    ],
  ],
  [
    'sort',
    comparableTypes.map((type) =>
      method(`list_${type.name}_sort`, [listType(type)], listType(type), sort, {
        cost: costSelfComparison,
        estimate: ({ target, sizeOf: size }) => target && estimateSort(size(target), type),
      }),
    ),
  ],
  [
    '@sortByAssociatedKeys',
    comparableTypes.map((type) =>
      method(
        `list_${type.name}_sortByAssociatedKeys`,
        [listOfT, listType(type)],
        listOfT,
        ([list = null, keys = null]) => sortByKeys(list, keys),
        {
          cost: costKeyComparison,
          estimate: ({ args: [keys], sizeOf: size }) => keys && estimateSort(size(keys), type),
        },
      ),
    ),
  ],
  [
    'lists.range',
    [
      fn('lists_range', [intType], listType(intType), range, {
        cost: (_args, result) => allocationCost(sizeOf(result), 1),
        estimate: ({ args: [count] }) =>
          count && estimateAllocation(1, fixed(integerOf(count, saturated))),
      }),
    ],
  ],
  [
    'reverse',
    [
      method('list_reverse', [listOfT], listOfT, reverse, {
        cost: (_args, result) => allocationCost(sizeOf(result), 1),
        estimate: ({ target, sizeOf: size }) => target && estimateAllocation(1, size(target)),
      }),
    ],
  ],
  [
    'distinct',
    [
      method('list_distinct', [listOfT], listOfT, distinct, {
        cost: costSelfComparison,
        estimate: ({ target, sizeOf: size }) =>
          target && estimateAllocation(2, multiplyRanges(size(target), size(target))),
      }),
    ],
  ],
]

function slice([list = null, start = null, end = null]: readonly Value[]): Value {
  if (!isList(list) || typeof start !== 'bigint' || typeof end !== 'bigint') {
    return noSuchOverload
  }
  const call = `cannot slice(${start}, ${end})`
  if (start < 0n || end < 0n) return new CelError(`${call}, negative indexes not supported`)
  if (start > end) {
    return new CelError(`${call}, start index must be less than or equal to end index`)
  }
  const { length } = list.items
  if (end > BigInt(length)) return new CelError(`${call}, list is length ${length}`)
  return listOf(listItems(list).slice(Number(start), Number(end)))
}

function flatten([list = null, depth = 1n]: readonly Value[], budget: Budget): Value {
  if (!isList(list) || typeof depth !== 'bigint') return noSuchOverload
  if (depth < 0n) return new CelError('level must be non-negative')
  let items = listItems(list)
  for (let level = 0n; level < depth && items.some(isList); level++) {
    budget.require(items.length)
    items = items.flatMap((item) => (isList(item) ? listItems(item) : [item]))
  }
  return listOf(items)
}

function sort([list = null]: readonly Value[]): Value {
  return sortByKeys(list, list)
}

function sortByKeys(list: Value, keys: Value): Value {
  if (!isList(list) || !isList(keys)) return noSuchOverload
  const sizes = [list.items.length, keys.items.length]
  if (sizes[0] !== sizes[1]) {
    return new CelError(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${sizes[0]} and ${sizes[1]} elements respectively`,
    )
  }
  const keyItems = listItems(keys)
  const [first] = keyItems
  if (first === undefined) return list
  if (!isComparable(first)) return new CelError('list elements must be comparable')
  const type = typeNameOf(first)
  if (keyItems.some((key) => typeNameOf(key) !== type)) {
    return new CelError('list elements must have the same type')
  }
  const order = keyItems.map((key, index) => ({ key, index }))
  order.sort((a, b) => {
    const result = compare(a.key, b.key)
    return result instanceof CelError ? 0 : result
  })
  return listOf(order.map(({ index }) => listItem(list, index)))
}

function range([count = null]: readonly Value[], budget: Budget): Value {
  if (typeof count !== 'bigint') return noSuchOverload
  const length = Math.max(0, Number(count))
  // Checked before the list is built, because one call can request a billion numbers.
  budget.require(allocationCost(length, 1))
  return listOf(Array.from({ length }, (_item, index) => BigInt(index)))
}

function reverse([list = null]: readonly Value[]): Value {
  return isList(list) ? listOf(listItems(list).reverse()) : noSuchOverload
}

function distinct([list = null]: readonly Value[], budget: Budget): Value {
  if (!isList(list)) return noSuchOverload
  budget.require(costSelfComparison([list]))
  const unique: Value[] = []
  for (const item of listItems(list)) {
    if (!unique.some((present) => equal(item, present) === true)) unique.push(item)
  }
  return listOf(unique)
}

function estimateSlice(call: Parameters<Estimate>[0]): CallEstimate | undefined {
  const { target, args, sizeOf: size } = call
  const [start, end] = args
  if (target === undefined || start === undefined || end === undefined) return undefined
  const bound = size(target)
  const length = integerOf(end, bound.max) - integerOf(start, 0)
  // Upstream's unsigned difference wraps around if the end is before the start.
  return estimateAllocation(1, fixed(length < 0 ? saturated : length))
}

function estimateFlatten({ target, args, sizeOf: size }: Parameters<Estimate>[0]) {
  const [depth] = args
  const factor = depth === undefined ? 1 : integerOf(depth, saturated)
  return target && estimateAllocation(factor, size(target))
}

function estimateSort(size: Range, type: Type): CallEstimate {
  const text = type === stringType || type === bytesType
  return estimateAllocation(text ? 2 + stringFactor : 2, multiplyRanges(size, size))
}

function estimateAllocation(factor: number, size: Range): CallEstimate {
  const cost = addRanges(scaleRange(size, factor), fixed(1 + listCreateCost))
  return { cost, size }
}

/** The value of an integer literal, or the fallback if the argument is not a literal. */
function integerOf(node: EstimateNode, fallback: number): number {
  if (node.expr?.kind !== 'literal' || node.expr.value.type !== 'int') return fallback
  return Math.max(0, Number(node.expr.value.value))
}
