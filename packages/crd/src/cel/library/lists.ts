import { add } from '../arithmetic.ts'
import { compare } from '../compare.ts'
import { listItems } from '../container.ts'
import { costTraversal } from '../cost.ts'
import { type Apply, type Library, method, type Overload } from '../declaration.ts'
import { equal } from '../equality.ts'
import type { Estimate } from '../estimate-call.ts'
import { STRING_FACTOR } from '../estimate-call.ts'
import { addRanges, fixed, multiplyRanges, scaleRange } from '../range.ts'
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  INT,
  listType,
  STRING,
  TIMESTAMP,
  type Type,
  typeParam,
  UINT,
} from '../type.ts'
import { CelError, duration, isList, NO_SUCH_OVERLOAD, uint, type Value } from '../value.ts'

/** One comparison per element, plus the reading of its text, if it is text. */
export const estimateTraversal: Estimate = ({ target, sizeOf, elementOf }) => {
  if (target === undefined) return undefined
  const element = elementOf(target)
  if (element === undefined) return { cost: scaleRange(sizeOf(target), STRING_FACTOR) }
  const text = element.type.kind === 'string' || element.type.kind === 'bytes'
  const each = text ? addRanges(fixed(1), scaleRange(sizeOf(element), STRING_FACTOR)) : fixed(1)
  return { cost: multiplyRanges(sizeOf(target), each) }
}

const TRAVERSAL = { cost: costTraversal, estimate: estimateTraversal }

const COMPARABLE: readonly [string, Type][] = [
  ['int', INT],
  ['uint', UINT],
  ['double', DOUBLE],
  ['bool', BOOL],
  ['duration', DURATION],
  ['timestamp', TIMESTAMP],
  ['string', STRING],
  ['bytes', BYTES],
]

const SUMMABLE: readonly [string, Type, Value][] = [
  ['int', INT, 0n],
  ['uint', UINT, uint(0n)],
  ['double', DOUBLE, 0],
  ['duration', DURATION, duration(0n)],
]

const A = typeParam('A')

/** The list functions of Kubernetes. */
export const lists: Library = [
  [
    'isSorted',
    COMPARABLE.map(([name, type]) =>
      method(`list_${name}_is_sorted_bool`, [listType(type)], BOOL, isSorted, TRAVERSAL),
    ),
  ],
  [
    'sum',
    SUMMABLE.map(([name, type, zero]) =>
      method(`list_${name}_sum_${name}`, [listType(type)], type, sum(zero), TRAVERSAL),
    ),
  ],
  ['max', extremes('max', 1)],
  ['min', extremes('min', -1)],
  ['indexOf', [method('list_a_index_of_int', [listType(A), A], INT, indexOf(false), TRAVERSAL)]],
  [
    'lastIndexOf',
    [method('list_a_last_index_of_int', [listType(A), A], INT, indexOf(true), TRAVERSAL)],
  ],
]

function isSorted([list = null]: readonly Value[]): Value {
  if (!isList(list)) return NO_SUCH_OVERLOAD
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
    if (!isList(list)) return NO_SUCH_OVERLOAD
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
    if (!isList(list)) return NO_SUCH_OVERLOAD
    let best: Value | undefined
    for (const item of listItems(list)) {
      if (item instanceof CelError) return item
      const order = best === undefined ? 1 : compare(item, best)
      if (order instanceof CelError) return order
      if (best === undefined || order * sign > 0) best = item
    }
    return best === undefined ? new CelError(`${name} called on empty list`) : best
  }
  return COMPARABLE.map(([type, item]) =>
    method(`list_${type}_${name}_${type}`, [listType(item)], item, apply, TRAVERSAL),
  )
}

function indexOf(last: boolean): Apply {
  return ([list = null, wanted = null]) => {
    if (!isList(list)) return NO_SUCH_OVERLOAD
    const items = listItems(list)
    const matches = (item: Value) => equal(item, wanted) === true
    return BigInt(last ? items.findLastIndex(matches) : items.findIndex(matches))
  }
}
