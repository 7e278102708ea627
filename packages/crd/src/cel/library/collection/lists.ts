import { addRanges, fixed, multiplyRanges, scaleRange } from '../../cost/range.ts'
import { costTraversal } from '../../declaration/call-cost.ts'
import {
  type CallEstimate,
  type EstimateCall,
  stringFactor,
} from '../../declaration/call-estimate.ts'
import { type Apply, type Library, method, type Overload } from '../../declaration/declaration.ts'
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  intType,
  listType,
  stringType,
  type Type,
  timestampType,
  typeParam,
  uintType,
} from '../../type/type.ts'
import { add } from '../../value/arithmetic.ts'
import { compare } from '../../value/compare.ts'
import { listItems } from '../../value/container.ts'
import { equal } from '../../value/equality.ts'
import { CelError, duration, isList, noSuchOverload, uint, type Value } from '../../value/value.ts'

/** Estimates a walk over a list: one comparison per element, plus reading the text of each, if it is text. */
export function estimateTraversal({
  target,
  sizeOf,
  elementOf,
}: EstimateCall): CallEstimate | undefined {
  if (target === undefined) return undefined
  const element = elementOf(target)
  if (element === undefined) return { cost: scaleRange(sizeOf(target), stringFactor) }
  const text = element.type.kind === 'string' || element.type.kind === 'bytes'
  const each = text ? addRanges(fixed(1), scaleRange(sizeOf(element), stringFactor)) : fixed(1)
  return { cost: multiplyRanges(sizeOf(target), each) }
}

const traversal = { cost: costTraversal, estimate: estimateTraversal }

const comparableTypes: readonly [string, Type][] = [
  ['int', intType],
  ['uint', uintType],
  ['double', doubleType],
  ['bool', boolType],
  ['duration', durationType],
  ['timestamp', timestampType],
  ['string', stringType],
  ['bytes', bytesType],
]

const summableTypes: readonly [string, Type, Value][] = [
  ['int', intType, 0n],
  ['uint', uintType, uint(0n)],
  ['double', doubleType, 0],
  ['duration', durationType, duration(0n)],
]

const typeA = typeParam('A')

/** The list functions of Kubernetes. */
export const lists: Library = [
  [
    'isSorted',
    comparableTypes.map(([name, type]) =>
      method(`list_${name}_is_sorted_bool`, [listType(type)], boolType, isSorted, traversal),
    ),
  ],
  [
    'sum',
    summableTypes.map(([name, type, zero]) =>
      method(`list_${name}_sum_${name}`, [listType(type)], type, sum(zero), traversal),
    ),
  ],
  ['max', extremes('max', 1)],
  ['min', extremes('min', -1)],
  [
    'indexOf',
    [method('list_a_index_of_int', [listType(typeA), typeA], intType, indexOf(false), traversal)],
  ],
  [
    'lastIndexOf',
    [
      method(
        'list_a_last_index_of_int',
        [listType(typeA), typeA],
        intType,
        indexOf(true),
        traversal,
      ),
    ],
  ],
]

function isSorted([list = null]: readonly Value[]): Value {
  if (!isList(list)) return noSuchOverload
  const items = listItems(list)
  for (let index = 1; index < items.length; index++) {
    const order = compare(items[index - 1] ?? null, items[index] ?? null)
    if (order instanceof CelError) return order
    if (order > 0) return false
  }
  return true
}

function sum(zero: Value): Apply {
  return ([list = null]) => {
    if (!isList(list)) return noSuchOverload
    let total = zero
    for (const item of listItems(list)) {
      total = add(total, item)
      if (total instanceof CelError) return total
    }
    return total
  }
}

function extremes(name: 'min' | 'max', sign: 1 | -1): Overload[] {
  const apply: Apply = ([list = null]) => {
    if (!isList(list)) return noSuchOverload
    let best: Value | undefined
    for (const item of listItems(list)) {
      if (item instanceof CelError) return item
      const order = best === undefined ? 1 : compare(item, best)
      if (order instanceof CelError) return order
      if (best === undefined || order * sign > 0) best = item
    }
    return best === undefined ? new CelError(`${name} called on empty list`) : best
  }
  return comparableTypes.map(([type, item]) =>
    method(`list_${type}_${name}_${type}`, [listType(item)], item, apply, traversal),
  )
}

function indexOf(last: boolean): Apply {
  return ([list = null, wanted = null]) => {
    if (!isList(list)) return noSuchOverload
    const items = listItems(list)
    const matches = (item: Value) => equal(item, wanted) === true
    return BigInt(last ? items.findLastIndex(matches) : items.findIndex(matches))
  }
}
