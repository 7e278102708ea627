import type { FieldError } from '../field-error.ts'
import type { Json } from '../schema.ts'
import { invalid, ruleError, ruleName, stringifyJson } from './rule-errors.ts'
import type { RuleProgram } from './rule-program.ts'
import type { RuleNode } from './rule-tree.ts'
import { CelError, NONE, optional, type Value } from './value.ts'

/** What all rules of one object share. */
export interface RuleState {
  readonly errors: FieldError[]
  /** What is left of the cost budget. */
  budget: number
  /** No further rule is run. */
  stopped: boolean
}

/** Cost units that one expression may use. */
const PER_CALL_LIMIT = 1_000_000

/** Evaluates the rules of one place for one value. `unchanged` says whether the value is what it was before the update. */
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
    stop(state, invalid(path, typeName(node), OUT_OF_BUDGET))
    return
  }
  const self = node.convert(value)
  const oldSelf = old === undefined || !node.usesOldSelf ? undefined : node.convert(old)
  for (const program of node.programs) {
    if (state.stopped) return
    evaluateRule(node, program, state, { path, value, self, oldSelf, unchanged })
  }
}

const OUT_OF_BUDGET =
  'validation failed due to running out of cost budget, no further validation rules will be run'
const MAX_MESSAGE_BYTES = 5120

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
  // A transition rule has nothing to say about a value that was not there before.
  if (compiled.usesOldSelf && subject.oldSelf === undefined && !isOptional) return
  const variables = [subject.self, isOptional ? asOptional(subject.oldSelf) : subject.oldSelf]
  const outcome = program.evaluate(variables, PER_CALL_LIMIT)
  if (outcome.cost > state.budget) {
    stop(state, invalid(subject.path, typeName(node), OUT_OF_BUDGET))
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

/** The text of messageExpression, nothing where it has none that can be used, or why no further rule may run. */
function evaluateMessage(
  compiled: RuleProgram,
  state: RuleState,
  variables: readonly (Value | undefined)[],
): { text?: string; stop?: string } {
  if (compiled.message === undefined) return {}
  const outcome = compiled.message.evaluate(variables, PER_CALL_LIMIT)
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
    text !== '' &&
    !text.includes('\n') &&
    new TextEncoder().encode(text).length <= MAX_MESSAGE_BYTES
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
  return value === undefined ? NONE : optional(value)
}

function typeName(node: RuleNode): string {
  return node.schema.type ?? ''
}

function stop(state: RuleState, error: FieldError): void {
  state.errors.push(error)
  state.stopped = true
}
