import { compileRules, compileSchema, type Json, type Schema } from '@agents/crd'

/** What becomes of an object that is written under a schema, or read under it: as it is then, and what is said against it. */
export function written(
  schema: Schema,
  object: Json,
  old?: Json,
): { object: Json; errors: string[] } {
  const copy = structuredClone(object)
  const compiled = compileSchema(schema)
  compiled.prune(copy)
  compiled.applyDefaults(copy)
  const errors = compiled.validate(copy)
  const broken = errors.length > 0 ? [] : (compileRules(schema)?.validate(copy, old) ?? [])
  return { object: copy, errors: [...errors, ...broken].map(({ message }) => message) }
}

/** An object whose only field, `x`, is of this schema. */
export const within = (field: Schema, more: Schema = {}): Schema => ({
  type: 'object',
  properties: { x: field },
  ...more,
})
