import { policyBudget, startPolicyEvaluation } from '@agents/crd'
import type { CompiledValidatingPolicy, CompiledValidation } from '../compiled-policy.ts'
import { evaluateMatchConditions } from './match-conditions.ts'
import { evaluationInput, type InputParts, inputWithoutAuthorizer } from './policy-input.ts'

/** A reason of a policy to deny a request. */
export interface Denial {
  readonly message: string
  /** Reason of the Status; absent if the evaluation failed. */
  readonly reason?: string
}

interface ValidationResult {
  /** The binding decides whether these deny the request, warn or are audited. */
  readonly denials: readonly Denial[]
  /** Audit annotations that failed to evaluate. They deny the request whatever the binding's actions are. */
  readonly annotationErrors: readonly string[]
}

const nothing: ValidationResult = { denials: [], annotationErrors: [] }
const maxMessageBytes = 5 * 1024

/**
 * Evaluates a policy for one request and one set of params. With `ignoresErrors`, expressions that fail count as
 * passed.
 */
export function evaluateValidations(
  policy: CompiledValidatingPolicy,
  parts: InputParts,
  ignoresErrors: boolean,
): ValidationResult {
  const failed = (message: string): ValidationResult =>
    ignoresErrors ? nothing : { denials: [{ message }], annotationErrors: [] }
  const conditions = evaluateMatchConditions(policy, parts)
  if ('error' in conditions) return failed(conditions.error)
  if (!conditions.matches) return nothing

  const { compiler, validations } = policy
  const evaluation = startPolicyEvaluation(compiler, evaluationInput(parts), policyBudget)
  const outcomes = []
  let isDenied = false
  for (const { condition } of validations) {
    const outcome = evaluation.evaluate(condition)
    if (outcome.kind === 'stopped') return failed(outcome.error)
    if (outcome.kind === 'value' && !outcome.value) isDenied = true
    outcomes.push(outcome)
  }
  const messages = isDenied ? evaluateMessages(policy, parts, evaluation.remaining) : { texts: [] }
  const denials: Denial[] = []
  for (const [index, outcome] of outcomes.entries()) {
    const validation = validations[index]
    if (validation === undefined) continue
    if (outcome.kind === 'error') {
      if (!ignoresErrors) denials.push({ message: outcome.error })
    } else if (messages.error !== undefined) {
      if (!ignoresErrors) denials.push({ message: `failed messageExpression: ${messages.error}` })
    } else if (!outcome.value) {
      const { reason = 'Invalid' } = validation.source
      denials.push({ message: denialMessage(validation, messages.texts[index]), reason })
    }
  }
  return withAnnotations(policy, parts, ignoresErrors, denials)
}

interface Messages {
  /** Messages by index of the validation; undefined if the expression returned no usable text. */
  readonly texts: readonly (string | undefined)[]
  /** The cost budget was exceeded. */
  readonly error?: string
}

/** Evaluates message expressions with the rest of the cost budget and without the authorizer. */
function evaluateMessages(
  policy: CompiledValidatingPolicy,
  parts: InputParts,
  budget: number,
): Messages {
  const input = inputWithoutAuthorizer(parts)
  const evaluation = startPolicyEvaluation(policy.compiler, input, budget)
  const texts: (string | undefined)[] = []
  for (const { message } of policy.validations) {
    if (message === undefined) {
      texts.push(undefined)
      continue
    }
    const outcome = evaluation.evaluate(message)
    if (outcome.kind === 'stopped') return { texts: [], error: outcome.error }
    texts.push(outcome.kind === 'value' ? usableMessage(outcome.value) : undefined)
  }
  return { texts }
}

function usableMessage(value: string): string | undefined {
  const text = value.trim()
  if (text === '' || text.includes('\n')) return undefined
  return Buffer.byteLength(text) > maxMessageBytes ? undefined : text
}

function denialMessage({ source }: CompiledValidation, evaluated: string | undefined): string {
  const fixed = source.message?.trim() ?? ''
  return evaluated ?? (fixed === '' ? `failed expression: ${source.expression.trim()}` : fixed)
}

/**
 * Evaluates audit annotations. They are not written anywhere, since there is no audit log, but one that fails denies
 * the request, as in a cluster.
 */
function withAnnotations(
  policy: CompiledValidatingPolicy,
  parts: InputParts,
  ignoresErrors: boolean,
  denials: readonly Denial[],
): ValidationResult {
  if (policy.auditAnnotations.length === 0) return { denials, annotationErrors: [] }
  const input = inputWithoutAuthorizer(parts)
  const evaluation = startPolicyEvaluation(policy.compiler, input, policyBudget)
  const annotationErrors: string[] = []
  for (const { value } of policy.auditAnnotations) {
    const outcome = evaluation.evaluate(value)
    if (outcome.kind === 'value') continue
    if (outcome.kind === 'stopped') {
      const all = ignoresErrors ? [] : [{ message: outcome.error }]
      return { denials: all, annotationErrors: [] }
    }
    if (!ignoresErrors) annotationErrors.push(outcome.error)
  }
  return { denials, annotationErrors }
}
