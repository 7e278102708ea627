import type { FieldError } from '../../field-error/field-error.ts'
import type { Json } from '../../schema/schema.ts'
import { CelError, noOptional, optional, type Value } from '../value/value.ts'
import { invalid, ruleError, ruleName, stringifyJson } from './rule-errors.ts'
import type { RuleProgram } from './rule-program.ts'
import type { RuleNode } from './rule-tree.ts'

/** The state that all rules of one object share. */
export interface RuleState {
  readonly errors: FieldError[]
  /** The remaining cost budget. */
  budget: number
  /** Whether evaluation has stopped. */
  stopped: boolean
}

/** The cost limit of one expression. */
const perCallLimit = 1_000_000

/** Evaluates the rules of one schema for one value. `unchanged` tells whether the update did not change the value. */
export function evaluateNode(
  node: RuleNode,
  state: RuleState,
  path: string,
  value: Json,
  old: Json | undefined,
  unchanged: () => boolean,
): void {
  if (node.programs.length === 0) return
  if (state.budget <= 0) {
    stop(state, invalid(path, typeName(node), outOfBudget))
    return
  }
  const self = node.convert(value)
  const oldSelf = old === undefined || !node.usesOldSelf ? undefined : node.convert(old)
  for (const program of node.programs) {
    if (state.stopped) return
    evaluateRule(node, program, state, { path, value, self, oldSelf, unchanged })
  }
}

const outOfBudget =
  'validation failed due to running out of cost budget, no further validation rules will be run'
const maxMessageBytes = 5120

interface Subject {
  readonly path: string
  readonly value: Json
  readonly self: Value
  readonly oldSelf: Value | undefined
  readonly unchanged: () => boolean
}

function evaluateRule(
  node: RuleNode,
  compiled: RuleProgram,
  state: RuleState,
  subject: Subject,
): void {
  const { rule, program } = compiled
  if (compiled.error !== undefined) {
    const detail = `rule compile error: ${compiled.error}`
    state.errors.push(invalid(subject.path, typeName(node), detail))
    return
  }
  const isOptional = rule.optionalOldSelf === true
  if (program === undefined) return
  // A transition rule does not apply to a new value.
  if (compiled.usesOldSelf && subject.oldSelf === undefined && !isOptional) return
  const variables = [subject.self, isOptional ? asOptional(subject.oldSelf) : subject.oldSelf]
  const outcome = program.evaluate(variables, perCallLimit)
  if (outcome.cost > state.budget) {
    stop(state, invalid(subject.path, typeName(node), outOfBudget))
    return
  }
  state.budget -= outcome.cost
  if (outcome.value instanceof CelError) {
    const detail = evaluationError(outcome.value.message, outcome.exceeded, ruleName(rule))
    state.errors.push(invalid(subject.path, typeName(node), detail))
    if (outcome.exceeded) state.stopped = true
  } else if (outcome.value !== true) reportFailure(node, compiled, state, subject, variables)
}

function reportFailure(
  node: RuleNode,
  compiled: RuleProgram,
  state: RuleState,
  subject: Subject,
  variables: readonly (Value | undefined)[],
): void {
  const { rule } = compiled
  const separator = subject.path === '' || compiled.fieldPath.startsWith('[') ? '' : '.'
  const field =
    compiled.fieldPath === '' ? subject.path : `${subject.path}${separator}${compiled.fieldPath}`
  const add = (error: FieldError): void => {
    if (compiled.usesOldSelf || !subject.unchanged()) state.errors.push(error)
  }
  const message = evaluateMessage(compiled, state, variables)
  if (message.stop !== undefined) {
    add(invalid(field, typeName(node), message.stop))
    state.stopped = true
    return
  }
  const detail =
    message.text ?? (rule.message ? rule.message.trim() : `failed rule: ${ruleName(rule)}`)
  const container = node.schema.type === 'object' || node.schema.type === 'array'
  add(ruleError(field, container ? undefined : subject.value, detail, rule.reason))
}

/** The result of messageExpression, undefined if it is not usable, or the error that stops evaluation. */
function evaluateMessage(
  compiled: RuleProgram,
  state: RuleState,
  variables: readonly (Value | undefined)[],
): { text?: string; stop?: string } {
  if (compiled.message === undefined) return {}
  const outcome = compiled.message.evaluate(variables, perCallLimit)
  if (outcome.cost > state.budget) {
    return {
      stop: 'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run',
    }
  }
  if (outcome.exceeded) {
    const source = stringifyJson(compiled.rule.messageExpression)
    return {
      stop: `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${source}`,
    }
  }
  state.budget -= outcome.cost
  if (typeof outcome.value !== 'string') return {}
  const text = outcome.value.trim()
  const usable =
    text !== '' && !text.includes('\n') && new TextEncoder().encode(text).length <= maxMessageBytes
  return usable ? { text } : {}
}

function evaluationError(message: string, exceeded: boolean, name: string): string {
  if (exceeded) {
    return `'${message}': no further validation rules will be run due to call cost exceeds limit for rule: ${name}`
  }
  return message.startsWith('no such overload')
    ? `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${name}`
    : `${message} evaluating rule: ${name}`
}

function asOptional(value: Value | undefined): Value {
  return value === undefined ? noOptional : optional(value)
}

function typeName(node: RuleNode): string {
  return node.schema.type ?? ''
}

function stop(state: RuleState, error: FieldError): void {
  state.errors.push(error)
  state.stopped = true
}
