import { codePointLength, costRegex, costScan, scanCost } from '../cost.ts'
import { type Budget, fn, type Library, method } from '../declaration.ts'
import { matchesPattern } from '../regex.ts'
import { BOOL, STRING } from '../type.ts'
import { NO_SUCH_OVERLOAD, type Value } from '../value.ts'

/** The string functions of the language itself. */
export const text: Library = [
  [
    'contains',
    [
      method(
        'contains_string',
        [STRING, STRING],
        BOOL,
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
        [STRING, STRING],
        BOOL,
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
        [STRING, STRING],
        BOOL,
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
      fn('matches', [STRING, STRING], BOOL, matches),
      method('matches_string', [STRING, STRING], BOOL, matches, { cost: costRegex }),
    ],
  ],
]

function test(holds: (value: string, argument: string) => Value) {
  return ([value, argument]: readonly Value[]): Value =>
    typeof value === 'string' && typeof argument === 'string'
      ? holds(value, argument)
      : NO_SUCH_OVERLOAD
}

/** The price is asked for first: a long pattern on a long text takes as long as it costs. */
function matches(args: readonly Value[], budget: Budget): Value {
  const [text, pattern] = args
  if (typeof text !== 'string' || typeof pattern !== 'string') return NO_SUCH_OVERLOAD
  budget.require(costRegex(args, null))
  return matchesPattern(text, pattern)
}

function lengthCost(value: Value | undefined): number {
  return typeof value === 'string' ? scanCost(codePointLength(value)) : 1
}
