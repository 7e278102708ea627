import type { Checked } from '../checker/checker.ts'
import { costCompare } from '../declaration/call-cost.ts'
import { listCreateCost, mapCreateCost, structCreateCost } from '../declaration/call-estimate.ts'
import type { Call, CreateMessage, Expr } from '../syntax/ast.ts'
import { listOf, mapKey, mapOf } from '../value/container.ts'
import { describeValue } from '../value/describe.ts'
import { equal } from '../value/equality.ts'
import {
  CelError,
  isOpaque,
  isOptional,
  type LiteralMap,
  typeValue,
  uint,
  type Value,
} from '../value/value.ts'
import { extendAttribute, rootAttribute, toEvaluate } from './plan-attribute.ts'
import { planCall } from './plan-call.ts'
import { planComprehension } from './plan-comprehension.ts'
import { planConditional, planLogic, planNotStrictlyFalse, planOptionalOr } from './plan-logic.ts'
import {
  charge,
  type Evaluate,
  type Frame,
  type Plan,
  PlanFailure,
  type Qualifier,
  type Scope,
} from './plan-step.ts'

interface Planner {
  readonly checked: Checked
  /** Slots of the variables in scope. */
  readonly scope: Scope | undefined
  readonly allocate: () => number
}

/** Plans a checked expression. */
export function plan(planner: Planner, expr: Expr): Plan {
  switch (expr.kind) {
    case 'literal':
      return { kind: 'constant', value: literalValue(expr.value) }
    case 'ident':
      return planIdent(planner, expr)
    case 'select': {
      const type = planner.checked.typeNames.get(expr)
      if (type !== undefined) return planTypeName(planner, type)
      const variable = planner.checked.qualifiedVariables.get(expr)
      if (variable !== undefined) return planVariable(planner, variable)
      const qualifier: Qualifier = { kind: 'constant', key: expr.field, optional: false }
      return extendAttribute(plan(planner, expr.operand), qualifier, expr.test)
    }
    case 'call':
      return planOperator(planner, expr)
    case 'list':
      return planList(planner, expr.elements, expr.optional)
    case 'map':
      return planMap(planner, expr)
    case 'comprehension':
      return planComprehension(expr, planner.scope, planner.allocate, (scope, part) =>
        planEvaluate({ ...planner, scope }, part),
      )
    case 'message':
      return planMessage(planner, expr)
  }
}

function planEvaluate(planner: Planner, expr: Expr): Evaluate {
  return toEvaluate(plan(planner, expr))
}

function planIdent(planner: Planner, expr: Expr & { kind: 'ident' }): Plan {
  const type = planner.checked.typeNames.get(expr)
  if (type !== undefined) return planTypeName(planner, type)
  return planVariable(planner, expr.name.replace(/^\./, ''))
}

/** Message types can be constructed, but upstream has no value for the type itself. */
function planTypeName(planner: Planner, name: string): Plan {
  if (planner.checked.messageNames.has(name)) {
    throw new PlanFailure(`reference to undefined type: ${name}`)
  }
  return { kind: 'constant', value: typeValue(name) }
}

function planVariable(planner: Planner, name: string): Plan {
  let scope = planner.scope
  while (scope !== undefined && scope.name !== name) scope = scope.outer
  if (scope === undefined)
    return { kind: 'constant', value: new CelError(`no such attribute(s): ${name}`) }
  return rootAttribute(scope)
}

function planOperator(planner: Planner, expr: Call): Plan {
  const evaluators = () => expr.args.map((arg) => planEvaluate(planner, arg))
  switch (expr.name) {
    case '_&&_':
      return planLogic(evaluators(), false)
    case '_||_':
      return planLogic(evaluators(), true)
    case '_?_:_':
      return planConditional(expr.args.map((arg) => plan(planner, arg)))
    case '@not_strictly_false':
      return planNotStrictlyFalse(evaluators())
    case '_==_':
      return planEquality(evaluators(), true)
    case '_!=_':
      return planEquality(evaluators(), false)
    case '_[_]':
    case '_[?_]':
    case '_?._':
      return planIndex(planner, expr.args, expr.name !== '_[_]')
    case 'or':
    case 'orValue':
      if (expr.target === undefined || expr.args.length !== 1) break
      return planOptionalOr(
        [planEvaluate(planner, expr.target), ...evaluators()],
        expr.name === 'orValue',
      )
  }
  const qualified = planner.checked.qualified.get(expr)
  const receiver = qualified === undefined && expr.target !== undefined ? [expr.target] : []
  const args = [...receiver, ...expr.args].map((arg) => plan(planner, arg))
  return planCall(qualified ?? expr.name, args, planner.checked.overloads.get(expr) ?? [])
}

function planIndex(planner: Planner, args: readonly Expr[], optional: boolean): Plan {
  const [operand, index] = args
  if (operand === undefined || index === undefined) throw new PlanFailure('no such overload')
  const indexPlan = plan(planner, index)
  const qualifier: Qualifier =
    indexPlan.kind === 'constant'
      ? { kind: 'constant', key: indexPlan.value, optional }
      : { kind: 'dynamic', index: indexPlan, optional }
  return extendAttribute(plan(planner, operand), qualifier, false)
}

function planEquality([left, right]: readonly Evaluate[], wanted: boolean): Plan {
  if (left === undefined || right === undefined) throw new PlanFailure('no such overload')
  const evaluate = (frame: Frame): Value => {
    const a = left(frame)
    const b = right(frame)
    charge(frame, equalityCost(a, b, wanted))
    // An error of an operand is the result even if the other one is null, which equals nothing but null.
    if (a instanceof CelError) return a
    if (b instanceof CelError) return b
    const result = equal(a, b)
    if (typeof result === 'boolean') return result === wanted
    return wanted ? result : true
  }
  return { kind: 'step', evaluate }
}

function equalityCost(left: Value, right: Value, wanted: boolean): number {
  if (typeof left === 'bigint' || typeof left === 'boolean' || typeof left === 'number') return 1
  if (wanted && isOpaque(left)) return 1
  return costCompare([left, right])
}

function planList(
  planner: Planner,
  elements: readonly Expr[],
  optional: ReadonlySet<number>,
): Plan {
  const plans = elements.map((element) => plan(planner, element))
  const constants = plans.map((step) => (step.kind === 'constant' ? step.value : undefined))
  if (optional.size === 0 && constants.every((value) => value !== undefined)) {
    return { kind: 'constant', value: listOf(constants) }
  }
  const evaluators = plans.map(toEvaluate)
  const evaluate = (frame: Frame): Value => {
    const items: Value[] = []
    charge(frame, listCreateCost)
    for (let index = 0; index < evaluators.length; index++) {
      const value = evaluators[index]?.(frame) ?? null
      if (value instanceof CelError) return value
      if (!optional.has(index)) items.push(value)
      else if (!isOptional(value)) return notOptional(value)
      else if (value.value !== undefined) items.push(value.value)
    }
    return listOf(items)
  }
  return { kind: 'step', evaluate }
}

function planMap(planner: Planner, expr: Expr & { kind: 'map' }): Plan {
  const entries = expr.entries.map((entry) => ({
    key: plan(planner, entry.key),
    value: plan(planner, entry.value),
    optional: entry.optional,
  }))
  const folded: [Value, Value][] = []
  for (const { key, value, optional } of entries) {
    if (key.kind === 'constant' && value.kind === 'constant' && !optional) {
      folded.push([key.value, value.value])
    }
  }
  if (folded.length === entries.length) return { kind: 'constant', value: mapOf(folded) }
  const evaluators = entries.map(({ key, value, optional }) => ({
    key: toEvaluate(key),
    value: toEvaluate(value),
    optional,
  }))
  const evaluate = (frame: Frame): Value => {
    const map: LiteralMap = { kind: 'map', entries: new Map(), growing: false }
    charge(frame, mapCreateCost)
    for (const entry of evaluators) {
      const key = entry.key(frame)
      if (key instanceof CelError) return key
      const at = mapKey(key)
      if (at === undefined) return new CelError('unsupported key type')
      let value: Value | undefined = entry.value(frame)
      if (value instanceof CelError) return value
      if (entry.optional) {
        if (!isOptional(value)) return notOptional(value)
        value = value.value
        if (value === undefined) continue
      }
      map.entries.set(at, { key, value })
    }
    return map
  }
  return { kind: 'step', evaluate }
}

function planMessage(planner: Planner, expr: CreateMessage): Plan {
  const message = planner.checked.messages.get(expr)
  if (message === undefined) throw new PlanFailure(`unknown type: ${expr.name}`)
  const fields = expr.fields.map(({ name, value, optional }) => ({
    name,
    optional,
    evaluate: planEvaluate(planner, value),
  }))
  const evaluate = (frame: Frame): Value => {
    charge(frame, structCreateCost)
    const values = new Map<string, Value>()
    for (const { name, optional, evaluate: evaluateField } of fields) {
      let value: Value | undefined = evaluateField(frame)
      if (value instanceof CelError) return value
      if (optional) {
        if (!isOptional(value)) return notOptionalField(name, value)
        value = value.value
      }
      if (value === undefined) values.delete(name)
      else values.set(name, value)
    }
    return message.create(values)
  }
  return { kind: 'step', evaluate }
}

function notOptionalField(name: string, value: Value): CelError {
  const formatted = describeValue(value)
  return new CelError(
    `cannot initialize optional entry '${name}' from non-optional value ${formatted}`,
  )
}

function notOptional(value: Value): CelError {
  return new CelError(
    `cannot initialize optional list element from non-optional value ${String(value)}`,
  )
}

function literalValue(literal: Extract<Expr, { kind: 'literal' }>['value']): Value {
  switch (literal.type) {
    case 'null':
      return null
    case 'uint':
      return uint(literal.value)
    default:
      return literal.value
  }
}
