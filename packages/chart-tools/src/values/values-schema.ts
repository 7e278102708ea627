import { schemaDefinitions } from './schema-definitions.ts'
import type { ChartValue, ValueSchema } from './value-tree.ts'

/**
 * Removed keys by path, with their replacement. The schema allows them, so that the rendering can reject them with this
 * text.
 */
export type RemovedValues = Readonly<Record<string, string>>

/**
 * Generates values.schema.json as draft-07, which older versions of Helm support. Strict except for `global` and maps
 * with free keys. Scalars and maps with fixed keys are required, so that a null that would remove one is rejected with
 * its path.
 */
export function valuesSchema(values: readonly ChartValue[], removed: RemovedValues): string {
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Values of the agents chart',
    ...fixedMap(values, removed, ''),
    definitions: schemaDefinitions,
  }
  return `${JSON.stringify(schema, null, 2)}\n`
}

function fixedMap(
  values: readonly ChartValue[],
  removed: RemovedValues,
  path: string,
): ValueSchema {
  const gone = Object.entries(removed)
    .filter(([key]) => parentOf(key) === path)
    .map(([key, instead]) => [lastOf(key), { description: `Removed: ${instead}` }])
  const properties = values.map((value) => [lastOf(value.path.join('.')), one(value, removed)])
  return {
    type: 'object',
    additionalProperties: false,
    required: values.filter(isRequired).map((value) => value.path.at(-1)),
    properties: Object.fromEntries([...properties, ...gone]),
  }
}

function one(value: ChartValue, removed: RemovedValues): ValueSchema {
  const { description, fallback, narrowing, children } = value
  if (children.length > 0) {
    return { description, ...fixedMap(children, removed, value.path.join('.')) }
  }
  const { open: _, $ref, ...narrowed } = narrowing
  // Draft-07 ignores keywords beside $ref, so it moves into allOf.
  const reference = $ref === undefined ? {} : { allOf: [{ $ref }] }
  return { description, default: fallback, ...typeOf(fallback), ...narrowed, ...reference }
}

function typeOf(fallback: unknown): ValueSchema {
  if (typeof fallback === 'boolean') return { type: 'boolean' }
  if (typeof fallback === 'string') return { type: 'string' }
  if (typeof fallback === 'number') return { type: 'integer', minimum: 0 }
  if (Array.isArray(fallback)) return { type: ['array', 'null'] }
  if (typeof fallback === 'object' && fallback !== null) return { type: ['object', 'null'] }
  return {}
}

/** Lists, maps with free keys and nullable values can be removed; the templates need everything else. */
function isRequired({ children, fallback, narrowing }: ChartValue): boolean {
  if (children.length > 0 || narrowing.minItems !== undefined) return true
  const mayBeNull = Array.isArray(narrowing.type) && narrowing.type.includes('null')
  return (typeof fallback !== 'object' || fallback === null) && !mayBeNull
}

function parentOf(path: string): string {
  return path.split('.').slice(0, -1).join('.')
}

function lastOf(path: string): string {
  return path.split('.').at(-1) ?? path
}
