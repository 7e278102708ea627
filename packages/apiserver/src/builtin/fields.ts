import { isJsonObject } from '../json/json-value.ts'

/** The fields of an object or of a part of it. */
export type Fields = Record<string, unknown>

/** The object in a field, or an empty one, which is not stored in the field. */
export function part(fields: Fields, name: string): Fields {
  const value = fields[name]
  return isJsonObject(value) ? value : {}
}

/** The object in a field, which is created if it does not exist. */
export function ownPart(fields: Fields, name: string): Fields {
  const value = fields[name]
  if (isJsonObject(value)) return value
  const made: Fields = {}
  fields[name] = made
  return made
}

/** The objects of a list in a field. */
export function parts(fields: Fields, name: string): Fields[] {
  const value = fields[name]
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}

export function text(fields: Fields, name: string): string {
  const value = fields[name]
  return typeof value === 'string' ? value : ''
}

export function texts(fields: Fields, name: string): string[] {
  const value = fields[name]
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

export function number(fields: Fields, name: string): number | undefined {
  const value = fields[name]
  return typeof value === 'number' ? value : undefined
}

/** Sets a default. As in Go, empty strings and null count as absent. */
export function fallBack(fields: Fields, defaults: Fields): void {
  for (const [name, value] of Object.entries(defaults)) {
    const current = fields[name]
    if (current === undefined || current === null || current === '') fields[name] = value
  }
}
