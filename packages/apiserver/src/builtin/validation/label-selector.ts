import type { FieldError } from '@agents/crd'
import { labelKey, labelValue } from '../../metadata/name-rules.ts'
import { validateLabels } from '../../metadata/validate-metadata.ts'
import { forbiddenValue, invalidValue, requiredValue } from '../../status/field-errors.ts'
import { type Fields, part, parts, text, texts } from '../fields.ts'

/** A `LabelSelector` object. */
export function labelSelectorErrors(selector: Fields, path: string): FieldError[] {
  const labels = part(selector, 'matchLabels') as Record<string, string>
  const errors = validateLabels(labels, `${path}.matchLabels`)
  for (const [index, expression] of parts(selector, 'matchExpressions').entries()) {
    errors.push(...expressionErrors(expression, `${path}.matchExpressions[${index}]`))
  }
  return errors
}

/** Reports whether the labels match a valid selector. */
export function selectorMatches(selector: Fields, labels: Fields): boolean {
  const wanted = Object.entries(part(selector, 'matchLabels'))
  if (wanted.some(([key, value]) => labels[key] !== value)) return false
  return parts(selector, 'matchExpressions').every((expression) => {
    const key = text(expression, 'key')
    const value = labels[key]
    const listed = typeof value === 'string' && texts(expression, 'values').includes(value)
    switch (expression.operator) {
      case 'In':
        return listed
      case 'NotIn':
        return !listed
      case 'Exists':
        return Object.hasOwn(labels, key)
      default:
        return !Object.hasOwn(labels, key)
    }
  })
}

export function isEmptySelector(selector: Fields): boolean {
  const labels = Object.keys(part(selector, 'matchLabels')).length
  return labels + parts(selector, 'matchExpressions').length === 0
}

function expressionErrors(expression: Fields, path: string): FieldError[] {
  const errors: FieldError[] = []
  const values = texts(expression, 'values')
  const operator = text(expression, 'operator')
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0) {
      errors.push(
        requiredValue(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"),
      )
    }
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0) {
      errors.push(
        forbiddenValue(
          `${path}.values`,
          "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        ),
      )
    }
  } else {
    errors.push(invalidValue(`${path}.operator`, operator, 'not a valid selector operator'))
  }
  for (const message of labelKey(text(expression, 'key'))) {
    errors.push(invalidValue(`${path}.key`, text(expression, 'key'), message))
  }
  for (const [index, value] of values.entries()) {
    for (const message of labelValue(value)) {
      errors.push(invalidValue(`${path}.values[${index}]`, value, message))
    }
  }
  return errors
}
