import type { Overload } from '../declaration/declaration.ts'
import { foldedConversions } from '../library/standard/conversions.ts'
import { isInstance } from '../value/runtime-type.ts'
import { CelError, noSuchOverload, typeNameOf, type Value } from '../value/value.ts'
import { toEvaluate } from './plan-attribute.ts'
import { membershipPlan } from './plan-membership.ts'
import { regexPlan } from './plan-regex.ts'
import { charge, type Evaluate, type Frame, type Plan, PlanFailure } from './plan-step.ts'

/** Plans a call that evaluates all arguments first. If an argument is an error, it is the result. */
export function planCall(
  name: string,
  plans: readonly Plan[],
  overloads: readonly Overload[],
): Plan {
  const [first] = overloads
  if (first?.id === 'in_list' && overloads.length === 1) {
    const membership = membershipPlan(plans)
    if (membership !== undefined) return membership
  }
  const evaluate = regexPlan(name, plans, overloads) ?? callEvaluator(name, plans, overloads)
  if (foldedConversions.has(name) && plans.length === 1 && plans[0]?.kind === 'constant') {
    return fold(evaluate)
  }
  return { kind: 'step', evaluate }
}

/** Evaluates the conversion of a constant at compile time, so that it costs nothing in an evaluation. */
function fold(evaluate: Evaluate): Plan {
  const frame: Frame = {
    slots: [],
    cost: 0,
    limit: Number.POSITIVE_INFINITY,
    nextCheck: Number.POSITIVE_INFINITY,
    require: () => undefined,
  }
  const value = evaluate(frame)
  if (value instanceof CelError) throw new PlanFailure(value.message)
  return { kind: 'constant', value }
}

function callEvaluator(
  name: string,
  plans: readonly Plan[],
  overloads: readonly Overload[],
): Evaluate {
  const args = plans.map(toEvaluate)
  const only = overloads.length === 1 ? overloads[0]?.apply : undefined
  const apply = explained(name, only ?? dispatcher(overloads))
  const cost = sharedCost(overloads)
  if (args.length === 2) return binaryEvaluator(args, apply, cost)
  return (frame) => {
    const values: Value[] = []
    let failure: CelError | undefined
    for (const arg of args) {
      const value = arg(frame)
      if (value instanceof CelError) failure ??= value
      values.push(value)
    }
    const result = failure ?? apply(values, frame)
    charge(frame, cost === undefined ? 1 : cost(values, result))
    return result
  }
}

function binaryEvaluator(
  args: readonly Evaluate[],
  apply: Overload['apply'],
  cost: Overload['cost'],
): Evaluate {
  const [left, right] = args
  if (left === undefined || right === undefined) return () => noSuchOverload
  return (frame) => {
    const a = left(frame)
    const b = right(frame)
    const values = [a, b]
    const result = a instanceof CelError ? a : b instanceof CelError ? b : apply(values, frame)
    charge(frame, cost === undefined ? 1 : cost(values, result))
    return result
  }
}

/** Selects the overload by the values, if an argument is dynamic. */
function dispatcher(overloads: readonly Overload[]): Overload['apply'] {
  return (values, budget) => {
    const fitting = overloads.find((overload) =>
      overload.params.every((param, index) => isInstance(values[index] ?? null, param)),
    )
    return fitting === undefined ? noSuchOverload : fitting.apply(values, budget)
  }
}

/** The error for arguments that match no overload, in the three forms of cel-go. */
function explained(name: string, apply: Overload['apply']): Overload['apply'] {
  if (unexplainedFunctions.has(name) || !/^[\w.@]+$/.test(name) || name.startsWith('_'))
    return apply
  return (values, budget) => {
    const result = apply(values, budget)
    if (result !== noSuchOverload) return result
    if (namedOnlyFunctions.has(name)) return new CelError(`no such overload: ${name}`)
    const types = values.map(typeNameOf).join(', ')
    return new CelError(`no such overload: ${name}(${types})`)
  }
}

const unexplainedFunctions = new Set([
  'startsWith',
  'endsWith',
  'contains',
  'matches',
  'find',
  'findAll',
  '@in',
])
const namedOnlyFunctions = new Set(['size', 'sort', '@sortByAssociatedKeys'])

/**
 * The cost function of a call. If the overload is not known before evaluation, all candidates must have the same one.
 */
function sharedCost(overloads: readonly Overload[]): Overload['cost'] {
  const cost = overloads[0]?.cost
  return overloads.every((overload) => overload.cost === cost) ? cost : undefined
}
