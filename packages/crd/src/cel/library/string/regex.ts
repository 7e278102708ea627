import { costRegex } from '../../declaration/call-cost.ts'
import {
  type CallEstimate,
  type EstimateCall,
  estimateRegex,
} from '../../declaration/call-estimate.ts'
import { type Budget, type Library, method } from '../../declaration/declaration.ts'
import { intType, listType, stringType } from '../../type/type.ts'
import { compilePattern, findAllMatches, findMatch } from '../../value/regex.ts'
import { CelError, noSuchOverload, type Value } from '../../value/value.ts'

function estimate({ target, args: [pattern], sizeOf }: EstimateCall): CallEstimate | undefined {
  if (target === undefined || pattern === undefined) return undefined
  const size = sizeOf(target)
  return { cost: estimateRegex(size, sizeOf(pattern)), size: { min: 0, max: size.max } }
}

const searchCost = { cost: costRegex, estimate }
const stringList = listType(stringType)

/** Search functions with RE2 patterns. The planner compiles constant patterns once. */
export const regex: Library = [
  ['find', [method('string_find_string', [stringType, stringType], stringType, find, searchCost)]],
  [
    'findAll',
    [
      method('string_find_all_string', [stringType, stringType], stringList, findAll, searchCost),
      method(
        'string_find_all_string_int',
        [stringType, stringType, intType],
        stringList,
        findAll,
        searchCost,
      ),
    ],
  ],
]

function find(args: readonly Value[], budget: Budget): Value {
  const [text, pattern] = args
  if (typeof text !== 'string' || typeof pattern !== 'string') return noSuchOverload
  budget.require(costRegex(args))
  const compiled = compilePattern(pattern)
  return compiled instanceof CelError ? illegal(compiled) : findMatch(compiled, text)
}

function findAll(args: readonly Value[], budget: Budget): Value {
  const [text, pattern, limit = -1n] = args
  if (typeof text !== 'string' || typeof pattern !== 'string') return noSuchOverload
  budget.require(costRegex(args))
  if (typeof limit !== 'bigint') return noSuchOverload
  const compiled = compilePattern(pattern)
  return compiled instanceof CelError ? illegal(compiled) : findAllMatches(compiled, text, limit)
}

function illegal(error: CelError): CelError {
  return new CelError(`Illegal regex: ${error.message}`)
}
