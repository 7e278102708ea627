import { costRegex } from '../cost.ts'
import { type Budget, type Library, method } from '../declaration.ts'
import { type Estimate, estimateRegex } from '../estimate-call.ts'
import { compilePattern, findAllMatches, findMatch } from '../regex.ts'
import { INT, listType, STRING } from '../type.ts'
import { CelError, NO_SUCH_OVERLOAD, type Value } from '../value.ts'

const estimate: Estimate = ({ target, args: [pattern], sizeOf }) => {
  if (target === undefined || pattern === undefined) return undefined
  const size = sizeOf(target)
  return { cost: estimateRegex(size, sizeOf(pattern)), size: { min: 0, max: size.max } }
}

const SEARCH = { cost: costRegex, estimate }
const LIST = listType(STRING)

/** Searching with RE2 patterns. Constant patterns are compiled once, by the planner. */
export const regex: Library = [
  ['find', [method('string_find_string', [STRING, STRING], STRING, find, SEARCH)]],
  [
    'findAll',
    [
      method('string_find_all_string', [STRING, STRING], LIST, findAll, SEARCH),
      method('string_find_all_string_int', [STRING, STRING, INT], LIST, findAll, SEARCH),
    ],
  ],
]

function find(args: readonly Value[], budget: Budget): Value {
  const [text, pattern] = args
  if (typeof text !== 'string' || typeof pattern !== 'string') return NO_SUCH_OVERLOAD
  budget.require(costRegex(args, null))
  const compiled = compilePattern(pattern)
  return compiled instanceof CelError ? illegal(compiled) : findMatch(compiled, text)
}

function findAll(args: readonly Value[], budget: Budget): Value {
  const [text, pattern, limit = -1n] = args
  if (typeof text !== 'string' || typeof pattern !== 'string') return NO_SUCH_OVERLOAD
  budget.require(costRegex(args, null))
  if (typeof limit !== 'bigint') return NO_SUCH_OVERLOAD
  const compiled = compilePattern(pattern)
  return compiled instanceof CelError ? illegal(compiled) : findAllMatches(compiled, text, limit)
}

function illegal(error: CelError): CelError {
  return new CelError(`Illegal regex: ${error.message}`)
}
