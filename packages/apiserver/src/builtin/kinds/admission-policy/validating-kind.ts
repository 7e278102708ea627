import type { FieldError } from '@agents/crd'
import { isJsonObject } from '../../../json/json-value.ts'
import { invalidValue, requiredValue, unsupportedValue } from '../../../status/field-errors.ts'
import { type Fields, part, parts, text } from '../../fields.ts'
import type { KindRules } from '../../strategy/kind-rules.ts'
import { duplicateValue } from '../../validation/value-errors.ts'
import {
  type CreateExpressionChecks,
  type ExpressionChecks,
  expressionErrors,
} from './expression-checks.ts'
import { constraintErrors } from './match-errors.ts'
import { headErrors, matchConditionErrors, qualifiedName, variableErrors } from './policy-errors.ts'
import { reservedNameWarnings } from './reserved-names.ts'

const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge']
const maxAuditAnnotations = 20
const maxValueExpressionBytes = 5 * 1024

export function validatingPolicyRules(createChecks: CreateExpressionChecks): KindRules {
  return {
    generation: true,
    requiresVersion: true,
    checksEnums: true,
    validate(policy) {
      const spec = part(policy, 'spec')
      const checks = createChecks({
        hasParams: isJsonObject(spec.paramKind),
        hasVariables: parts(spec, 'variables').length > 0,
      })
      return [
        ...headErrors(spec),
        ...constraintErrors(spec),
        ...matchConditionErrors(spec, checks),
        ...variableErrors(spec, checks),
        ...contentErrors(spec, policy.metadata.name, checks),
      ]
    },
    validateStatusUpdate: (policy) => statusErrors(part(policy, 'status')),
    statusKeeps: 'metadata',
    warnings: reservedNameWarnings,
  }
}

function contentErrors(spec: Fields, name: string, checks: ExpressionChecks): FieldError[] {
  const validations = parts(spec, 'validations')
  const annotations = parts(spec, 'auditAnnotations')
  if (validations.length === 0 && annotations.length === 0) {
    const why = 'validations or auditAnnotations must contain at least one item'
    return [requiredValue('spec.validations', why), requiredValue('spec.auditAnnotations', why)]
  }
  const errors = validations.flatMap((validation, index) =>
    validationErrors(validation, `spec.validations[${index}]`, checks),
  )
  if (annotations.length > maxAuditAnnotations) {
    const why = `must not have more than ${maxAuditAnnotations} auditAnnotations`
    errors.push(invalidValue('spec.auditAnnotations', annotations, why))
  }
  const keys = annotations.map((annotation) => text(annotation, 'key'))
  for (const [index, annotation] of annotations.entries()) {
    const at = `spec.auditAnnotations[${index}]`
    errors.push(...annotationErrors(annotation, name, at, checks))
    const key = keys[index] ?? ''
    if (keys.indexOf(key) < index) errors.push(duplicateValue(`${at}.key`, key))
  }
  return errors
}

function validationErrors(validation: Fields, at: string, checks: ExpressionChecks): FieldError[] {
  const errors: FieldError[] = []
  const expression = text(validation, 'expression')
  if (expression.trim() === '') {
    errors.push(requiredValue(`${at}.expression`, 'expression is not specified'))
  } else {
    const problem = checks.check('validation', expression)
    errors.push(...expressionErrors(problem, `${at}.expression`, expression))
  }
  const messageExpression = text(validation, 'messageExpression')
  if (messageExpression !== '' && messageExpression.trim() === '') {
    const why = 'must be non-empty if specified'
    errors.push(invalidValue(`${at}.messageExpression`, messageExpression, why))
  } else if (messageExpression !== '') {
    const problem = checks.check('message', messageExpression)
    errors.push(...expressionErrors(problem, `${at}.messageExpression`, messageExpression))
  }
  const message = text(validation, 'message')
  if (message !== '' && message.trim() === '') {
    errors.push(invalidValue(`${at}.message`, message, 'must be non-empty if specified'))
  } else if (/[\n\r]/.test(message.trim())) {
    errors.push(invalidValue(`${at}.message`, message, 'must not contain line breaks'))
  }
  const { reason } = validation
  if (typeof reason === 'string' && !reasons.includes(reason)) {
    errors.push(unsupportedValue(`${at}.reason`, reason, reasons))
  }
  return errors
}

function annotationErrors(
  annotation: Fields,
  policyName: string,
  at: string,
  checks: ExpressionChecks,
): FieldError[] {
  const key = text(annotation, 'key')
  const errors =
    (policyName ?? '') === ''
      ? [invalidValue(`${at}.key`, key, 'requires metadata.name be non-empty')]
      : qualifiedName(`${policyName}/${key}`, `${at}.key`)
  const expression = text(annotation, 'valueExpression')
  const trimmed = expression.trim()
  const field = `${at}.valueExpression`
  if (trimmed === '') {
    errors.push(requiredValue(field, 'valueExpression is not specified'))
  } else if (Buffer.byteLength(trimmed) > maxValueExpressionBytes) {
    errors.push(requiredValue(field, `must not exceed ${maxValueExpressionBytes} bytes in length`))
  } else {
    errors.push(...expressionErrors(checks.check('auditAnnotation', trimmed), field, expression))
  }
  return errors
}

function statusErrors(status: Fields): FieldError[] {
  const path = 'status.typeChecking.expressionWarnings'
  return parts(part(status, 'typeChecking'), 'expressionWarnings').flatMap((warning, index) =>
    ['warning', 'fieldRef']
      .filter((name) => text(warning, name).trim() === '')
      .map((name) => requiredValue(`${path}[${index}].${name}`, '')),
  )
}
