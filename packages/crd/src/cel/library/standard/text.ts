import { codePointLength, costRegex, costScan, scanCost } from '../../declaration/call-cost.ts'
import { type Budget, fn, type Library, method } from '../../declaration/declaration.ts'
import { boolType, stringType } from '../../type/type.ts'
import { matchesPattern } from '../../value/regex.ts'
import { noSuchOverload, type Value } from '../../value/value.ts'

/** The string functions of the language itself. */
export const text: Library = [
  [
    'contains',
    [
      method(
        'contains_string',
        [stringType, stringType],
        boolType,
        test((a, b) => a.includes(b)),
        {
          cost: ([value, part]) => lengthCost(value) * lengthCost(part),
        },
      ),
    ],
  ],
  [
    'startsWith',
    [
      method(
        'starts_with_string',
        [stringType, stringType],
        boolType,
        test((a, b) => a.startsWith(b)),
        {
          cost: costScan,
        },
      ),
    ],
  ],
  [
    'endsWith',
    [
      method(
        'ends_with_string',
        [stringType, stringType],
        boolType,
        test((a, b) => a.endsWith(b)),
        {
          cost: costScan,
        },
      ),
    ],
  ],
  [
    'matches',
    [
      fn('matches', [stringType, stringType], boolType, matches),
      method('matches_string', [stringType, stringType], boolType, matches, { cost: costRegex }),
    ],
  ],
]

function test(holds: (value: string, argument: string) => Value) {
  return ([value, argument]: readonly Value[]): Value =>
    typeof value === 'string' && typeof argument === 'string'
      ? holds(value, argument)
      : noSuchOverload
}

/** Evaluates matches(). The cost is checked first, because a long pattern on a long text takes correspondingly long. */
function matches(args: readonly Value[], budget: Budget): Value {
  const [text, pattern] = args
  if (typeof text !== 'string' || typeof pattern !== 'string') return noSuchOverload
  budget.require(costRegex(args))
  return matchesPattern(text, pattern)
}

function lengthCost(value: Value | undefined): number {
  return typeof value === 'string' ? scanCost(codePointLength(value)) : 1
}
