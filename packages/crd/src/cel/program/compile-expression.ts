import { checkWorkLimit } from '../../work-limit.ts'
import { type Checked, check } from '../checker/checker.ts'
import { checkLiterals } from '../checker/literal-checks.ts'
import { CostExceeded } from '../cost/cost-exceeded.ts'
import { metered } from '../cost/work-meter.ts'
import { plan } from '../evaluation/plan.ts'
import { toEvaluate } from '../evaluation/plan-attribute.ts'
import { type Frame, PlanFailure, type Scope, unitsPerCheck } from '../evaluation/plan-step.ts'
import type { Environment } from '../library/environment.ts'
import { formatIssues, newIssueList } from '../syntax/issue.ts'
import { parse } from '../syntax/parser.ts'
import type { Type } from '../type/type.ts'
import { CelError, type Value } from '../value/value.ts'

/** A compiled expression, which can be evaluated any number of times. */
export interface Program {
  readonly checked: Checked
  readonly type: Type
  /**
   * Evaluates the expression with the variables in the order given to compileExpression. Throws only WorkLimitExceeded.
   */
  evaluate(variables: readonly (Value | undefined)[], limit: number): Outcome
}

interface Outcome {
  readonly value: Value
  readonly cost: number
  /** Whether the evaluation was stopped because it exceeded the cost limit. */
  readonly exceeded: boolean
}

type Compilation =
  | { readonly program: Program }
  /** The stage that failed: parsing and checking, or evaluating the constant parts. */
  | { readonly stage: 'check' | 'plan'; readonly error: string }

/** Parses, checks and plans an expression. The error has the wording and layout of cel-go. */
export function compileExpression(
  source: string,
  environment: Environment,
  variables: readonly string[],
): Compilation {
  const checking = checkExpression(source, environment)
  return 'error' in checking ? checking : planExpression(checking.checked, variables)
}

/** Parses and checks an expression: the first stage of a compilation. */
export function checkExpression(
  source: string,
  environment: Environment,
): { readonly checked: Checked } | { readonly stage: 'check'; readonly error: string } {
  checkWorkLimit(source.length * 2)
  const issues = newIssueList()
  const expr = parse(source, issues)
  const checked = expr === undefined ? undefined : check(expr, environment, issues)
  if (checked !== undefined && issues.total === 0) checkLiterals(checked, issues)
  if (checked === undefined || issues.total > 0) {
    return { stage: 'check', error: formatIssues(source, issues) }
  }
  return { checked }
}

/** Plans a checked expression and evaluates its constant parts: the second stage of a compilation. */
export function planExpression(checked: Checked, variables: readonly string[]): Compilation {
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
    return { value: metered(() => evaluate(frame)), cost: frame.cost, exceeded: false }
  } catch (error) {
    if (!(error instanceof CostExceeded)) throw error
    return { value: new CelError(error.message), cost: frame.cost, exceeded: true }
  }
}

function newFrame(values: readonly (Value | undefined)[], size: number, limit: number): Frame {
  const slots = values.slice()
  while (slots.length < size) slots.push(undefined)
  return new EvaluationFrame(slots, limit)
}

/** A class, since a frame is created for each expression: an object with a function of its own takes longer. */
class EvaluationFrame implements Frame {
  cost = 0
  nextCheck: number
  readonly slots: (Value | undefined)[]
  readonly limit: number

  constructor(slots: (Value | undefined)[], limit: number) {
    this.slots = slots
    this.limit = limit
    this.nextCheck = Math.min(limit, unitsPerCheck)
  }

  require(units: number): void {
    if (this.cost + units > this.limit) throw new CostExceeded()
    checkWorkLimit(units)
  }
}
