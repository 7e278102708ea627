import { sameJson } from '@agents/kube'
import { appendAll } from '../append-all.ts'
import { invalid } from '../field-error/constructors.ts'
import type { FieldError } from '../field-error/field-error.ts'
import { compilePattern, patternProblem } from '../format/pattern.ts'
import { prune } from '../pruning/prune.ts'
import { cloneJson } from '../schema/json-value.ts'
import type { Schema } from '../schema/schema.ts'
import { checkEmbedded } from '../validation/embedded.ts'
import { distinctErrors } from '../validation/finding.ts'
import { report } from '../validation/report.ts'

/** Checks that every default is valid under its schema and contains no unknown fields. */
export function checkDefaults(schema: Schema, path: string): FieldError[] {
  const errors = checkDefault(schema, `${path}.default`)
  if (schema.items !== undefined) appendAll(errors, checkDefaults(schema.items, `${path}.items`))
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    appendAll(errors, checkDefaults(property, `${path}.properties[${name}]`))
  }
  return errors
}

function checkDefault(schema: Schema, field: string): FieldError[] {
  const value = schema.default
  if (value === undefined || value === null) return []
  const errors: FieldError[] = []
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true
  const pruned = cloneJson(value)
  prune(schema, pruned, isEmbedded)
  if (!sameJson(pruned, value)) errors.push(invalid(field, value, 'must not have unknown fields'))
  const embedded = checkEmbedded(schema, value, field)
  if (embedded.length > 0) return [...errors, ...embedded]
  const context = {
    fieldPrefix: field,
    pattern: (source: string) => patternProblem(source) ?? compilePattern(source),
  }
  return [...errors, ...distinctErrors(report(schema, value, '', context, undefined).findings)]
}
