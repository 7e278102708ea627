import { listItems } from '../container.ts'
import { sizeOf } from '../cost.ts'
import { type Apply, type Cost, fn, type Library } from '../declaration.ts'
import type { Estimate } from '../estimate-call.ts'
import { addRanges, fixed, multiplyRanges, scaleRange } from '../range.ts'
import { BOOL, listType, typeParam } from '../type.ts'
import { isList, NO_SUCH_OVERLOAD, type Value } from '../value.ts'
import { contains } from './operators.ts'

const LIST = listType(typeParam('T'))

/** Lists taken as sets. */
export const sets: Library = [
  [
    'sets.contains',
    [
      fn(
        'list_sets_contains_list',
        [LIST, LIST],
        BOOL,
        paid(([a = null, b = null]) => containsAll(a, b)),
        {
          cost: comparisons(1),
          estimate: estimateComparisons(1),
        },
      ),
    ],
  ],
  [
    'sets.equivalent',
    [
      fn('list_sets_equivalent_list', [LIST, LIST], BOOL, paid(equivalent), {
        cost: comparisons(2),
        estimate: estimateComparisons(2),
      }),
    ],
  ],
  [
    'sets.intersects',
    [
      fn('list_sets_intersects_list', [LIST, LIST], BOOL, paid(intersects), {
        cost: comparisons(1),
        estimate: estimateComparisons(1),
      }),
    ],
  ],
]

/** Asks for the price before it compares everything with everything. */
function paid(apply: Apply): Apply {
  return (args, budget) => {
    budget.require(sizeOf(args[0]) * sizeOf(args[1]))
    return apply(args, budget)
  }
}

function containsAll(list: Value, part: Value): Value {
  if (!isList(list) || !isList(part)) return NO_SUCH_OVERLOAD
  for (const item of listItems(part)) {
    const found = contains([item, list])
    if (found !== true) return found
  }
  return true
}

function equivalent([a = null, b = null]: readonly Value[]): Value {
  const forth = containsAll(a, b)
  return forth === true ? containsAll(b, a) : forth
}

function intersects([a = null, b = null]: readonly Value[]): Value {
  if (!isList(a) || !isList(b)) return NO_SUCH_OVERLOAD
  return listItems(a).some((item) => contains([item, b]) === true)
}

function comparisons(factor: number): Cost {
  return ([a, b]) => 1 + sizeOf(a) * sizeOf(b) * factor
}

function estimateComparisons(factor: number): Estimate {
  return ({ args, sizeOf: size }) => {
    const [a, b] = args
    if (a === undefined || b === undefined) return undefined
    const pairs = multiplyRanges(size(a), size(b))
    return { cost: addRanges(scaleRange(pairs, factor), fixed(1)) }
  }
}
