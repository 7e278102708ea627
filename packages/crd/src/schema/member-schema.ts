import { ownValue } from './json-value.ts'
import type { Schema } from './schema.ts'

/** The schema of a member of an object: its property, or the schema of additional properties. */
export function memberSchema(schema: Schema, key: string): Schema | undefined {
  const property = ownValue(schema.properties, key)
  if (property !== undefined) return property
  const additional = schema.additionalProperties
  return typeof additional === 'object' ? additional : undefined
}
