import { addRanges, fixed, multiplyRanges, scaleRange } from '../../cost/range.ts'
import { sizeOf } from '../../declaration/call-cost.ts'
import type { Estimate } from '../../declaration/call-estimate.ts'
import { type Apply, type Cost, fn, type Library } from '../../declaration/declaration.ts'
import { boolType, listType, typeParam } from '../../type/type.ts'
import { listItems } from '../../value/container.ts'
import { isList, noSuchOverload, type Value } from '../../value/value.ts'
import { contains } from '../standard/operators.ts'

const listOfT = listType(typeParam('T'))

/** The set functions on lists. */
export const sets: Library = [
  [
    'sets.contains',
    [
      fn(
        'list_sets_contains_list',
        [listOfT, listOfT],
        boolType,
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
      fn('list_sets_equivalent_list', [listOfT, listOfT], boolType, paid(equivalent), {
        cost: comparisons(2),
        estimate: estimateComparisons(2),
      }),
    ],
  ],
  [
    'sets.intersects',
    [
      fn('list_sets_intersects_list', [listOfT, listOfT], boolType, paid(intersects), {
        cost: comparisons(1),
        estimate: estimateComparisons(1),
      }),
    ],
  ],
]

/** Checks the cost before comparing all pairs. */
function paid(apply: Apply): Apply {
  return (args, budget) => {
    budget.require(sizeOf(args[0]) * sizeOf(args[1]))
    return apply(args, budget)
  }
}

function containsAll(list: Value, part: Value): Value {
  if (!isList(list) || !isList(part)) return noSuchOverload
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
  if (!isList(a) || !isList(b)) return noSuchOverload
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
