import { CelError, isOptional, noSuchOverload, type Value } from '../value/value.ts'
import { choiceAttribute, toEvaluate } from './plan-attribute.ts'
import type { Branch, Evaluate, Plan } from './plan-step.ts'

/** Plans `&&` and `||`: errors are ignored if any other operand decides the result, in any order. */
export function planLogic(terms: readonly Evaluate[], decisive: boolean): Plan {
  const evaluate: Evaluate = (frame) => {
    let failure: CelError | undefined
    for (const term of terms) {
      const value = term(frame)
      if (value === decisive) return decisive
      if (value === !decisive) continue
      failure ??= value instanceof CelError ? value : noSuchOverload
    }
    return failure ?? !decisive
  }
  return { kind: 'step', evaluate }
}

export function planConditional([condition, yes, no]: readonly Plan[]): Plan {
  if (condition === undefined || yes === undefined || no === undefined) {
    return { kind: 'constant', value: noSuchOverload }
  }
  return choiceAttribute(toEvaluate(condition), toBranch(yes), toBranch(no))
}

function toBranch(step: Plan): Branch {
  return step.kind === 'attribute' ? step : { kind: 'value', evaluate: toEvaluate(step) }
}

/** Plans the condition of all() and exists(), which continue while the accumulator is an error. */
export function planNotStrictlyFalse([operand]: readonly Evaluate[]): Plan {
  const evaluate: Evaluate = (frame) => {
    const value: Value = operand?.(frame) ?? true
    frame.cost += 1
    return typeof value === 'boolean' ? value : true
  }
  return { kind: 'step', evaluate }
}

/** Plans `a.or(b)` and `a.orValue(b)`, which evaluate `b` only if `a` has no value. */
export function planOptionalOr([left, right]: readonly Evaluate[], unwrap: boolean): Plan {
  const evaluate: Evaluate = (frame) => {
    const value = left?.(frame) ?? null
    if (!isOptional(value)) return value
    if (value.value !== undefined) return unwrap ? value.value : value
    return right?.(frame) ?? null
  }
  return { kind: 'step', evaluate }
}
