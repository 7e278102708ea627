import { compileRules, compileSchema, type Json, type Schema } from '@agents/crd'

/** The result of writing or reading an object under a schema: the pruned and defaulted object, and its errors. */
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

/** The schema of an object whose only field is `x` with this schema. */
export function within(field: Schema, more: Schema = {}): Schema {
  return {
    type: 'object',
    properties: { x: field },
    ...more,
  }
}
