import { type FieldError, formatFieldError } from '../field-error/field-error.ts'
import { subSchemas } from '../schema/nesting.ts'
import type { Schema } from '../schema/schema.ts'
import { checkDefaults } from './check-defaults.ts'
import { checkCompleteness } from './completeness.ts'
import { checkInvariants } from './invariants.ts'
import { checkSchemaRules, hasUnsupported } from './schema-rules.ts'
import { checkSchemaShape } from './schema-shape.ts'

export interface StructuralOptions {
  /** The path of the schema. Default `openAPIV3Schema`. */
  readonly fieldPath?: string
  /** Checks the CEL rules of a schema that is valid otherwise. Returns their errors. */
  readonly checkRules?: (schema: Schema, fieldPath: string) => FieldError[]
}

/** Checks that a schema is a valid structural schema of a CustomResourceDefinition. Returns all errors. */
export function checkStructural(schema: Schema, options: StructuralOptions = {}): FieldError[] {
  const path = options.fieldPath ?? 'openAPIV3Schema'
  const misshapen = checkSchemaShape(schema, path)
  if (misshapen.length > 0) return misshapen
  if (!isConvertible(schema)) return checkSchemaRules(schema, path)
  const nonStructural = sortByText([
    ...checkInvariants(schema, path),
    ...checkCompleteness(schema, path),
  ])
  const rules = checkSchemaRules(schema, path)
  if (nonStructural.length > 0) return [...nonStructural, ...rules]
  const defaults = checkDefaults(schema, path)
  const errors = [...defaults, ...rules]
  if (errors.length > 0 || options.checkRules === undefined) return errors
  return options.checkRules(schema, path)
}

/**
 * Whether the structural rules apply. Upstream skips them if the schema uses a keyword that structural schemas cannot
 * express.
 */
function isConvertible(schema: Schema): boolean {
  const preserve: unknown = schema['x-kubernetes-preserve-unknown-fields']
  if (hasUnsupported(schema) || Array.isArray(schema.items) || preserve === false) return false
  return subSchemas(schema).every(({ schema: below }) => isConvertible(below))
}

function sortByText(errors: readonly FieldError[]): FieldError[] {
  return errors
    .map((error) => ({ error, text: formatFieldError(error) }))
    .sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
    .map(({ error }) => error)
}
