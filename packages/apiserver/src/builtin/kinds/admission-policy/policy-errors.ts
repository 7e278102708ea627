import type { FieldError } from '@agents/crd'
import { isJsonObject } from '../../../json/json-value.ts'
import { labelKey } from '../../../metadata/name-rules.ts'
import { invalidValue, requiredValue, unsupportedValue } from '../../../status/field-errors.ts'
import { type Fields, part, parts, text } from '../../fields.ts'
import { duplicateValue } from '../../validation/value-errors.ts'
import { type ExpressionChecks, expressionErrors, isIdentifier } from './expression-checks.ts'
import { paramKindErrors } from './param-errors.ts'

const failurePolicies = ['Fail', 'Ignore']
const maxMatchConditions = 64

/** Validates the fields before `matchConstraints` for both kinds of policies. */
export function headErrors(spec: Fields): FieldError[] {
  const errors: FieldError[] = []
  const failurePolicy = text(spec, 'failurePolicy')
  if (failurePolicy === '') errors.push(requiredValue('spec.failurePolicy', ''))
  else if (!failurePolicies.includes(failurePolicy)) {
    errors.push(unsupportedValue('spec.failurePolicy', failurePolicy, failurePolicies))
  }
  if (!isJsonObject(spec.paramKind)) return errors
  return [...errors, ...paramKindErrors(part(spec, 'paramKind'), 'spec.paramKind')]
}

export function matchConditionErrors(spec: Fields, checks: ExpressionChecks): FieldError[] {
  const path = 'spec.matchConditions'
  const conditions = parts(spec, 'matchConditions')
  const errors: FieldError[] = []
  if (conditions.length > maxMatchConditions) errors.push(tooMany(path, conditions.length))
  const names = conditions.map((condition) => text(condition, 'name'))
  for (const [index, condition] of conditions.entries()) {
    const at = `${path}[${index}]`
    const expression = text(condition, 'expression').trim()
    if (expression === '') errors.push(requiredValue(`${at}.expression`, ''))
    else {
      const problem = checks.check('matchCondition', expression)
      errors.push(...expressionErrors(problem, `${at}.expression`, expression))
    }
    const name = names[index] ?? ''
    if (name === '') errors.push(requiredValue(`${at}.name`, ''))
    else errors.push(...qualifiedName(name, `${at}.name`))
    if (name !== '' && names.indexOf(name) < index) errors.push(duplicateValue(`${at}.name`, name))
  }
  return errors
}

export function variableErrors(spec: Fields, checks: ExpressionChecks): FieldError[] {
  return parts(spec, 'variables').flatMap((variable, index) => {
    const at = `spec.variables[${index}]`
    const errors: FieldError[] = []
    const name = text(variable, 'name')
    const expression = text(variable, 'expression')
    if (name.trim() === '') errors.push(requiredValue(`${at}.name`, 'name is not specified'))
    else if (!isIdentifier(name)) {
      errors.push(invalidValue(`${at}.name`, name, 'must be a valid CEL identifier'))
    }
    if (expression.trim() === '') {
      return [...errors, requiredValue(`${at}.expression`, 'expression is not specified')]
    }
    const problem = checks.variable(name, expression)
    return [...errors, ...expressionErrors(problem, `${at}.expression`, expression)]
  })
}

export function qualifiedName(name: string, field: string): FieldError[] {
  return labelKey(name).map((message) => invalidValue(field, name, message))
}

function tooMany(field: string, actual: number): FieldError {
  return {
    reason: 'FieldValueTooMany',
    field,
    message: `Too many: ${actual}: must have at most ${maxMatchConditions} items`,
  }
}
