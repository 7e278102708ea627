import type { FieldError } from '@agents/crd'
import { stringifyJson } from '@agents/kube'
import { quote } from './api-error.ts'

export function invalidValue(field: string, value: unknown, detail: string): FieldError {
  return {
    reason: 'FieldValueInvalid',
    field,
    message: withDetail(`Invalid value: ${show(value)}`, detail),
  }
}

export function requiredValue(field: string, detail: string): FieldError {
  return { reason: 'FieldValueRequired', field, message: withDetail('Required value', detail) }
}

export function forbiddenValue(field: string, detail: string): FieldError {
  return { reason: 'FieldValueForbidden', field, message: withDetail('Forbidden', detail) }
}

export function unsupportedValue(
  field: string,
  value: unknown,
  supported: readonly string[],
): FieldError {
  const values = supported.map((one) => JSON.stringify(one)).join(', ')
  return {
    reason: 'FieldValueNotSupported',
    field,
    message: `Unsupported value: ${show(value)}: supported values: ${values}`,
  }
}

export function tooLong(field: string, maxBytes: number): FieldError {
  return {
    reason: 'FieldValueTooLong',
    field,
    message: `Too long: may not be more than ${maxBytes} byte${maxBytes === 1 ? '' : 's'}`,
  }
}

function show(value: unknown): string {
  return typeof value === 'string' ? quote(value) : stringifyJson(value)
}

function withDetail(head: string, detail: string): string {
  return detail === '' ? head : `${head}: ${detail}`
}
