import { formatFieldError } from '../../../field-error/field-error.ts'
import type { Json, Schema, ValidationRule } from '../../../schema/schema.ts'
import { compileRules } from '../rules.ts'

export const text: Schema = { type: 'string' }
export const integer: Schema = { type: 'integer' }

/** Adds CEL rules to a schema, each as its expression or in full. */
export function withRule(schema: Schema, ...rules: (string | ValidationRule)[]): Schema {
  const validations = rules.map((rule) => (typeof rule === 'string' ? { rule } : rule))
  return { ...schema, 'x-kubernetes-validations': validations }
}

export function object(
  properties: Record<string, Schema>,
  ...rules: (string | ValidationRule)[]
): Schema {
  return withRule({ type: 'object', properties }, ...rules)
}

export function resource(spec: Schema): Schema {
  return { type: 'object', properties: { spec } }
}

/** The errors of the rules of a schema for a value, as text. */
export function ruleErrors(schema: Schema, value: Json, old?: Json, budget?: number): string[] {
  const rules = compileRules(schema)
  if (rules === undefined) throw new Error('the schema has no rules')
  return rules.validate(value, old, budget === undefined ? {} : { budget }).map(formatFieldError)
}
