import { compare, isComparable } from '../compare.ts'
import { listItem, listItems, listOf } from '../container.ts'
import { allocationCost, costKeyComparison, costSelfComparison, sizeOf } from '../cost.ts'
import { type Budget, fn, type Library, method } from '../declaration.ts'
import { equal } from '../equality.ts'
import {
  type CallEstimate,
  type Estimate,
  type EstimateNode,
  LIST_CREATE_COST,
  STRING_FACTOR,
} from '../estimate-call.ts'
import { addRanges, fixed, multiplyRanges, type Range, SATURATED, scaleRange } from '../range.ts'
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listType,
  STRING,
  TIMESTAMP,
  type Type,
  typeParam,
  UINT,
} from '../type.ts'
import { CelError, isList, NO_SUCH_OVERLOAD, typeNameOf, type Value } from '../value.ts'

const T = typeParam('T')
const LIST = listType(T)
const COMPARABLE = [INT, UINT, DOUBLE, BOOL, DURATION, TIMESTAMP, STRING, BYTES]

/** The list functions of the CEL extension library, version 3. */
export const listExtensions: Library = [
  [
    'slice',
    [
      method('list_slice', [LIST, INT, INT], LIST, slice, {
        cost: (_args, result) => allocationCost(sizeOf(result), 1),
        estimate: estimateSlice,
      }),
    ],
  ],
  [
    'flatten',
    [
      method('list_flatten', [listType(LIST)], LIST, flatten, {
        cost: ([list]) => allocationCost(sizeOf(list), 1),
        estimate: estimateFlatten,
      }),
      method('list_flatten_int', [listType(DYN), INT], listType(DYN), flatten, {
        cost: ([list, depth]) => allocationCost(sizeOf(list), Number(depth)),
        estimate: estimateFlatten,
      }),
    ],
  ],
  [
    'sort',
    COMPARABLE.map((type) =>
      method(`list_${type.name}_sort`, [listType(type)], listType(type), sort, {
        cost: costSelfComparison,
        estimate: ({ target, sizeOf: size }) => target && estimateSort(size(target), type),
      }),
    ),
  ],
  [
    '@sortByAssociatedKeys',
    COMPARABLE.map((type) =>
      method(
        `list_${type.name}_sortByAssociatedKeys`,
        [LIST, listType(type)],
        LIST,
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
      fn('lists_range', [INT], listType(INT), range, {
        cost: (_args, result) => allocationCost(sizeOf(result), 1),
        estimate: ({ args: [count] }) =>
          count && estimateAllocation(1, fixed(integerOf(count, SATURATED))),
      }),
    ],
  ],
  [
    'reverse',
    [
      method('list_reverse', [LIST], LIST, reverse, {
        cost: (_args, result) => allocationCost(sizeOf(result), 1),
        estimate: ({ target, sizeOf: size }) => target && estimateAllocation(1, size(target)),
      }),
    ],
  ],
  [
    'distinct',
    [
      method('list_distinct', [LIST], LIST, distinct, {
        cost: costSelfComparison,
        estimate: ({ target, sizeOf: size }) =>
          target && estimateAllocation(2, multiplyRanges(size(target), size(target))),
      }),
    ],
  ],
]

function slice([list = null, start = null, end = null]: readonly Value[]): Value {
  if (!isList(list) || typeof start !== 'bigint' || typeof end !== 'bigint') {
    return NO_SUCH_OVERLOAD
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
  if (!isList(list) || typeof depth !== 'bigint') return NO_SUCH_OVERLOAD
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
  if (!isList(list) || !isList(keys)) return NO_SUCH_OVERLOAD
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
  if (typeof count !== 'bigint') return NO_SUCH_OVERLOAD
  const length = Math.max(0, Number(count))
  // Before it is built: a billion numbers are asked for with one call.
  budget.require(allocationCost(length, 1))
  return listOf(Array.from({ length }, (_item, index) => BigInt(index)))
}

function reverse([list = null]: readonly Value[]): Value {
  return isList(list) ? listOf(listItems(list).reverse()) : NO_SUCH_OVERLOAD
}

function distinct([list = null]: readonly Value[], budget: Budget): Value {
  if (!isList(list)) return NO_SUCH_OVERLOAD
  budget.require(costSelfComparison([list], null))
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
  // Upstream's unsigned difference wraps around where the end is before the start.
  return estimateAllocation(1, fixed(length < 0 ? SATURATED : length))
}

function estimateFlatten({ target, args, sizeOf: size }: Parameters<Estimate>[0]) {
  const [depth] = args
  const factor = depth === undefined ? 1 : integerOf(depth, SATURATED)
  return target && estimateAllocation(factor, size(target))
}

function estimateSort(size: Range, type: Type): CallEstimate {
  const text = type === STRING || type === BYTES
  return estimateAllocation(text ? 2 + STRING_FACTOR : 2, multiplyRanges(size, size))
}

function estimateAllocation(factor: number, size: Range): CallEstimate {
  const cost = addRanges(scaleRange(size, factor), fixed(1 + LIST_CREATE_COST))
  return { cost, size }
}

/** The value of an integer literal; the fallback where the argument is no literal. */
function integerOf(node: EstimateNode, fallback: number): number {
  if (node.expr?.kind !== 'literal' || node.expr.value.type !== 'int') return fallback
  return Math.max(0, Number(node.expr.value.value))
}
