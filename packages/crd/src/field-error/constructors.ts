import { goQuote } from '../go-text.ts'
import type { Json } from '../schema/schema.ts'
import { formatBadValue } from './bad-value.ts'
import type { FieldError } from './field-error.ts'

/** The constructors of apimachinery's field errors, with its wording. An empty field means "the whole object". */
export function required(field: string, detail = ''): FieldError {
  return {
    reason: 'FieldValueRequired',
    field,
    message: detail === '' ? 'Required value' : `Required value: ${detail}`,
  }
}

export function invalid(field: string, value: Json, detail: string): FieldError {
  return withValue('FieldValueInvalid', 'Invalid value', field, value, detail)
}

export function typeInvalid(field: string, value: Json, detail: string): FieldError {
  return withValue('FieldValueTypeInvalid', 'Invalid value', field, value, detail)
}

export function duplicate(field: string, value: Json): FieldError {
  return withValue('FieldValueDuplicate', 'Duplicate value', field, value, '')
}

export function notSupported(field: string, value: Json, supported: readonly string[]): FieldError {
  const detail =
    supported.length > 0 ? `supported values: ${supported.map(goQuote).join(', ')}` : ''
  return withValue('FieldValueNotSupported', 'Unsupported value', field, value, detail)
}

export function forbidden(field: string, detail: string): FieldError {
  return { reason: 'FieldValueForbidden', field, message: `Forbidden: ${detail}` }
}

/** The message says bytes, as upstream's does, although `maxLength` counts code points. */
export function tooLong(field: string, max: number): FieldError {
  const unit = max === 1 ? 'byte' : 'bytes'
  return {
    reason: 'FieldValueTooLong',
    field,
    message: `Too long: may not be more than ${max} ${unit}`,
  }
}

export function tooMany(field: string, actual: number, max: number): FieldError {
  const unit = max === 1 ? 'item' : 'items'
  return withValue(
    'FieldValueTooMany',
    'Too many',
    field,
    actual,
    `must have at most ${max} ${unit}`,
  )
}

function withValue(
  reason: FieldError['reason'],
  label: string,
  field: string,
  value: Json,
  detail: string,
): FieldError {
  const message = `${label}: ${formatBadValue(value)}`
  return { reason, field, message: detail === '' ? message : `${message}: ${detail}` }
}
