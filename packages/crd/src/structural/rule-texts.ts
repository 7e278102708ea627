import { invalid, notSupported, required } from '../field-error/constructors.ts'
import type { FieldError } from '../field-error/field-error.ts'
import type { Schema, ValidationRule } from '../schema/schema.ts'
import { resolveFieldPath } from './field-path.ts'

const ruleReasons = [
  'FieldValueDuplicate',
  'FieldValueForbidden',
  'FieldValueInvalid',
  'FieldValueRequired',
]

/** Checks `x-kubernetes-validations` without compiling the rules. */
export function checkRuleTexts(schema: Schema, path: string): FieldError[] {
  const rules = schema['x-kubernetes-validations'] ?? []
  return rules.flatMap((rule, index) =>
    checkRule(schema, rule, `${path}.x-kubernetes-validations[${index}]`),
  )
}

function checkRule(schema: Schema, rule: ValidationRule, path: string): FieldError[] {
  const errors: FieldError[] = []
  const text = rule.rule.trim()
  const message = rule.message ?? ''
  const trimmed = message.trim()
  if (text === '') errors.push(required(`${path}.rule`, 'rule is not specified'))
  else if (message !== '' && trimmed === '') {
    errors.push(invalid(`${path}.message`, message, 'must be non-empty if specified'))
  } else if (hasLineBreak(trimmed)) {
    errors.push(invalid(`${path}.message`, message, 'must not contain line breaks'))
  } else if (hasLineBreak(text) && trimmed === '') {
    errors.push(
      required(`${path}.message`, 'message must be specified if rule contains line breaks'),
    )
  }
  const expression = rule.messageExpression ?? ''
  if (expression !== '' && expression.trim() === '') {
    errors.push(
      required(`${path}.messageExpression`, 'messageExpression must be non-empty if specified'),
    )
  }
  if (rule.reason !== undefined && !ruleReasons.includes(rule.reason)) {
    errors.push(notSupported(`${path}.reason`, rule.reason, ruleReasons))
  }
  const fieldPath = rule.fieldPath ?? ''
  if (fieldPath === '') return errors
  const field = `${path}.fieldPath`
  if (fieldPath.trim() === '')
    errors.push(invalid(field, fieldPath, 'must be non-empty if specified'))
  if (hasLineBreak(fieldPath))
    errors.push(invalid(field, fieldPath, 'must not contain line breaks'))
  if ('problem' in resolveFieldPath(fieldPath, schema, true)) {
    errors.push(invalid(field, fieldPath, 'must be a valid path'))
  }
  return errors
}

function hasLineBreak(text: string): boolean {
  return /[\n\r]/.test(text)
}
