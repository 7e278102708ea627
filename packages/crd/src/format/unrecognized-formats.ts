import type { Schema } from '../schema/schema.ts'
import { stringFormat } from './formats.ts'

/** Formats in a schema that the API server does not know and therefore ignores, in schema order. */
export function unrecognizedFormats(schema: Schema): string[] {
  const found = schema.format !== undefined && !isRecognized(schema) ? [schema.format] : []
  return [...found, ...subschemas(schema).flatMap(unrecognizedFormats)]
}

function isRecognized({ type, format = '' }: Schema): boolean {
  switch (type) {
    case undefined:
    case 'string':
      return stringFormat(format) !== undefined
    case 'integer':
      return format === 'int32' || format === 'int64'
    case 'number':
      return format === 'float' || format === 'double'
    default:
      return false
  }
}

function subschemas(schema: Schema): Schema[] {
  const { items, properties, additionalProperties, allOf, anyOf, oneOf, not } = schema
  return [
    ...(items ? [items] : []),
    ...(allOf ?? []),
    ...(oneOf ?? []),
    ...(anyOf ?? []),
    ...(not ? [not] : []),
    ...Object.values(properties ?? {}),
    ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
  ]
}
