import type { Json, Schema } from '@agents/crd'
import { Ajv, type Options, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'

/** Compiles the equivalent JSON Schema with ajv. */
export function compileWithAjv(schema: Schema, options: Options = {}): ValidateFunction {
  const ajv = new Ajv({ strict: false, allErrors: false, validateFormats: true, ...options })
  formats.default(ajv)
  return ajv.compile(translate(schema))
}

/** Boolean exclusive bounds become numbers, int-or-string becomes two types, and extensions are dropped. */
function translate(schema: Schema): Record<string, unknown> {
  const out: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(schema)) {
    if (key.startsWith('x-kubernetes-') || skipped.has(key)) continue
    out[key] = translateMember(key, value)
  }
  if (schema['x-kubernetes-int-or-string'] === true) out.type = ['integer', 'string']
  // A schema without a type accepts null anyway, and ajv rejects `nullable` without a type.
  if (out.type === undefined) delete out.nullable
  if (schema.exclusiveMinimum === true) {
    out.exclusiveMinimum = schema.minimum
    delete out.minimum
  }
  if (schema.exclusiveMaximum === true) {
    out.exclusiveMaximum = schema.maximum
    delete out.maximum
  }
  return out
}

const skipped: ReadonlySet<string> = new Set([
  'default',
  'description',
  'exclusiveMinimum',
  'exclusiveMaximum',
])

function translateMember(key: string, value: Json | Schema | unknown): unknown {
  switch (key) {
    case 'properties':
      return Object.fromEntries(
        Object.entries(value as Record<string, Schema>).map(([name, property]) => [
          name,
          translate(property),
        ]),
      )
    case 'items':
    case 'not':
      return translate(value as Schema)
    case 'additionalProperties':
      return typeof value === 'object' ? translate(value as Schema) : value
    case 'allOf':
    case 'anyOf':
    case 'oneOf':
      return (value as Schema[]).map(translate)
    default:
      return value
  }
}
