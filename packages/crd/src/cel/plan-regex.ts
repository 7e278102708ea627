import { costRegex } from './cost.ts'
import type { Overload } from './declaration.ts'
import { toEvaluate } from './plan-attribute.ts'
import { charge, type Evaluate, type Plan, PlanFailure } from './plan-step.ts'
import { compilePattern, findAllMatches, findMatch } from './regex.ts'
import { CelError, NO_SUCH_OVERLOAD, type Value } from './value.ts'

/** A constant pattern is compiled once. Undefined where the function takes no pattern, or not a constant one. */
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
    let result: Value = NO_SUCH_OVERLOAD
    if (value instanceof CelError) result = value
    else if (count instanceof CelError) result = count
    else if (typeof value === 'string' && typeof count === 'bigint') {
      frame.require(costRegex([value, pattern.value], null))
      if (name === 'matches') result = compiled.matcher(value).find()
      else if (name === 'find') result = findMatch(compiled, value)
      else result = findAllMatches(compiled, value, count)
    }
    charge(frame, cost?.([value, pattern.value], result) ?? 1)
    return result
  }
}
