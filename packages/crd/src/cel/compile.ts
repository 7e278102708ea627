import { type Checked, check } from './checker.ts'
import { CostExceeded } from './cost.ts'
import type { Environment } from './environment.ts'
import { formatIssues, newIssueList } from './issue.ts'
import { checkLiterals } from './literal-checks.ts'
import { parse } from './parser.ts'
import { plan } from './plan.ts'
import { toEvaluate } from './plan-attribute.ts'
import { type Frame, PlanFailure, type Scope } from './plan-step.ts'
import type { Type } from './type.ts'
import { CelError, type Value } from './value.ts'

/** An expression ready to be evaluated any number of times. */
export interface Program {
  readonly checked: Checked
  readonly type: Type
  /** Variables by their place in the list given to compileExpression; never throws. */
  evaluate(variables: readonly (Value | undefined)[], limit: number): Outcome
}

export interface Outcome {
  readonly value: Value
  readonly cost: number
  /** The evaluation was stopped because it had become too expensive. */
  readonly exceeded: boolean
}

export type Compilation =
  | { readonly program: Program }
  /** Where it failed: while it was parsed and checked, or while its constant parts were evaluated. */
  | { readonly stage: 'check' | 'plan'; readonly error: string }

/** Parses, checks and plans an expression. The error is worded and laid out as cel-go does it. */
export function compileExpression(
  source: string,
  environment: Environment,
  variables: readonly string[],
): Compilation {
  const issues = newIssueList()
  const expr = parse(source, issues)
  const checked = expr === undefined ? undefined : check(expr, environment, issues)
  if (checked !== undefined && issues.total === 0) checkLiterals(checked, issues)
  if (expr === undefined || checked === undefined || issues.total > 0) {
    return { stage: 'check', error: formatIssues(source, issues) }
  }
  try {
    return { program: buildProgram(checked, variables) }
  } catch (error) {
    if (error instanceof PlanFailure) return { stage: 'plan', error: error.message }
    throw error
  }
}

function buildProgram(checked: Checked, variables: readonly string[]): Program {
  let scope: Scope | undefined
  for (const [slot, name] of variables.entries()) scope = { name, slot, outer: scope }
  let slots = variables.length
  const evaluate = toEvaluate(plan({ checked, scope, allocate: () => slots++ }, checked.expr))
  const type = checked.types.get(checked.expr)
  if (type === undefined) throw new PlanFailure('expression has no type')
  return {
    checked,
    type,
    evaluate: (values, limit) => run(evaluate, newFrame(values, slots, limit)),
  }
}

function run(evaluate: (frame: Frame) => Value, frame: Frame): Outcome {
  try {
    return { value: evaluate(frame), cost: frame.cost, exceeded: false }
  } catch (error) {
    if (!(error instanceof CostExceeded)) throw error
    return { value: new CelError(error.message), cost: frame.cost, exceeded: true }
  }
}

function newFrame(values: readonly (Value | undefined)[], size: number, limit: number): Frame {
  const slots = new Array<Value | undefined>(size).fill(undefined)
  for (let index = 0; index < values.length; index++) slots[index] = values[index]
  const frame: Frame = {
    slots,
    cost: 0,
    limit,
    require: (units) => {
      if (frame.cost + units > limit) throw new CostExceeded()
    },
  }
  return frame
}
