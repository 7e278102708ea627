import type { FieldError } from '@agents/crd'
import { sameJson } from '@agents/kube'
import { invalidValue } from '../../status/field-errors.ts'
import { type Fields, number } from '../fields.ts'

/** Field errors that many kinds share, with upstream's messages. */

export function duplicateValue(field: string, value: unknown): FieldError {
  return {
    reason: 'FieldValueDuplicate',
    field,
    message: `Duplicate value: ${JSON.stringify(value)}`,
  }
}

export function notFoundValue(field: string, value: unknown): FieldError {
  return { reason: 'FieldValueNotFound', field, message: `Not found: ${JSON.stringify(value)}` }
}

export function immutable(next: Fields, old: Fields, name: string, path: string): FieldError[] {
  if (sameJson(next[name] ?? null, old[name] ?? null)) return []
  return [invalidValue(path, next[name] ?? null, 'field is immutable')]
}

export function nonNegative(fields: Fields, name: string, path: string): FieldError[] {
  const value = number(fields, name)
  if (value === undefined || value >= 0) return []
  return [invalidValue(`${path}.${name}`, value, 'must be greater than or equal to 0')]
}

export function portNumber(value: unknown, field: string): FieldError[] {
  if (typeof value === 'number' && value >= 1 && value <= 65_535) return []
  return [invalidValue(field, value, 'must be between 1 and 65535, inclusive')]
}

/** Formats a map as Go prints it: sorted keys, and null if it is absent. */
export function printedMap(fields: Fields): Fields | null {
  const keys = Object.keys(fields).sort()
  return keys.length === 0 ? null : Object.fromEntries(keys.map((key) => [key, fields[key]]))
}

/** Validates a key of a ConfigMap or Secret. */
export function dataKey(key: string): string[] {
  const errors: string[] = []
  if (Buffer.byteLength(key) > 253) errors.push('must be no more than 253 bytes')
  if (!/^[-._a-zA-Z0-9]+$/.test(key)) {
    errors.push(
      "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
    )
  }
  if (key === '.') errors.push("must not be '.'")
  else if (key === '..') errors.push("must not be '..'")
  else if (key.startsWith('..')) errors.push("must not start with '..'")
  return errors
}

export const maxDataBytes = 1024 * 1024
