import type { FieldError, FieldErrorReason } from '../../field-error/field-error.ts'
import { formatDouble, goQuote } from '../../go-text.ts'
import type { Json, ValidationRule } from '../../schema/schema.ts'

/** The error `Invalid value` with the value, unless that is an object or an array. */
export function invalid(field: string, value: Json | undefined, detail: string): FieldError {
  return {
    reason: 'FieldValueInvalid',
    field,
    message: withDetail('Invalid value', value, detail),
  }
}

export function forbidden(field: string, detail: string): FieldError {
  return { reason: 'FieldValueForbidden', field, message: `Forbidden: ${detail}` }
}

export function required(field: string, detail: string): FieldError {
  return { reason: 'FieldValueRequired', field, message: `Required value: ${detail}` }
}

/** The error of a rule that is violated, with the reason that the rule specifies. */
export function ruleError(
  field: string,
  value: Json | undefined,
  detail: string,
  reason: ValidationRule['reason'],
): FieldError {
  switch (reason) {
    case 'FieldValueForbidden':
      return forbidden(field, detail)
    case 'FieldValueRequired':
      return required(field, detail)
    case 'FieldValueDuplicate': {
      const duplicate: FieldErrorReason = 'FieldValueDuplicate'
      return { reason: duplicate, field, message: withDetail('Duplicate value', value, '') }
    }
    default:
      return invalid(field, value, detail)
  }
}

/** The description of a rule in an error: its message if it has one, else the rule itself. */
export function ruleName(rule: ValidationRule): string {
  return (rule.message || rule.rule).trim()
}

/** Encodes a text as JSON with the escapes of Go's encoder, which are safe in HTML. */
export function stringifyJson(value: unknown): string {
  const text = JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'bigint' ? Number(inner) : inner,
  )
  return text.replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function withDetail(kind: string, value: Json | undefined, detail: string): string {
  const formatted = value === undefined ? kind : `${kind}: ${formatValue(value)}`
  return detail === '' ? formatted : `${formatted}: ${detail}`
}

function formatValue(value: Json): string {
  if (typeof value === 'string') return goQuote(value)
  if (typeof value === 'number') {
    return Number.isInteger(value) ? String(value) : formatDouble(value)
  }
  return typeof value === 'object' ? stringifyJson(value) : String(value)
}
