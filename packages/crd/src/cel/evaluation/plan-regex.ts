import { costRegex } from '../declaration/call-cost.ts'
import type { Overload } from '../declaration/declaration.ts'
import { compilePattern, findAllMatches, findMatch } from '../value/regex.ts'
import { CelError, noSuchOverload, type Value } from '../value/value.ts'
import { toEvaluate } from './plan-attribute.ts'
import { charge, type Evaluate, type Plan, PlanFailure } from './plan-step.ts'

/** Plans a call with a constant pattern, which is compiled once. Undefined if there is no constant pattern. */
export function regexPlan(
  name: string,
  plans: readonly Plan[],
  overloads: readonly Overload[],
): Evaluate | undefined {
  if (name !== 'matches' && name !== 'find' && name !== 'findAll') return undefined
  const [text, pattern, limit] = plans
  if (text === undefined || pattern?.kind !== 'constant' || typeof pattern.value !== 'string') {
    return undefined
  }
  const compiled = compilePattern(pattern.value)
  if (compiled instanceof CelError) throw new PlanFailure(compiled.message)
  const evaluateText = toEvaluate(text)
  const evaluateLimit = limit === undefined ? undefined : toEvaluate(limit)
  const cost = overloads[0]?.cost
  return (frame) => {
    const value = evaluateText(frame)
    const count = evaluateLimit?.(frame) ?? -1n
    let result: Value = noSuchOverload
    if (value instanceof CelError) result = value
    else if (count instanceof CelError) result = count
    else if (typeof value === 'string' && typeof count === 'bigint') {
      frame.require(costRegex([value, pattern.value]))
      if (name === 'matches') result = compiled.matcher(value).find()
      else if (name === 'find') result = findMatch(compiled, value)
      else result = findAllMatches(compiled, value, count)
    }
    charge(frame, cost?.([value, pattern.value], result) ?? 1)
    return result
  }
}
