import type { Json, Schema } from './schema.ts'

/** The maximum depth of Go's JSON decoder; a deeper value never reaches the validation of a real API server. */
export const maxValueDepth = 10_000

/** The maximum depth of a schema. Schemas are compiled recursively, and real kinds are far below the limit. */
export const maxSchemaDepth = 500

/** Whether the value nests deeper than the limit. Computed without recursion. */
export function exceedsDepth(value: Json, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  let level: Json[] = [value]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > limit) return true
    const next: Json[] = []
    for (const node of level) {
      if (typeof node !== 'object' || node === null) continue
      for (const child of Array.isArray(node) ? node : Object.values(node)) {
        if (typeof child === 'object' && child !== null) next.push(child)
      }
    }
    level = next
  }
  return false
}

/** The direct subschemas of a schema, each with its path segment. */
export function subSchemas(schema: Schema): { segment: string; schema: Schema }[] {
  const found: { segment: string; schema: Schema }[] = []
  const add = (segment: string, candidate: unknown) => {
    if (typeof candidate === 'object' && candidate !== null && !Array.isArray(candidate)) {
      found.push({ segment, schema: candidate })
    }
  }
  add('items', schema.items)
  add('additionalProperties', schema.additionalProperties)
  add('not', schema.not)
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    add(`properties[${name}]`, property)
  }
  for (const junctor of ['allOf', 'anyOf', 'oneOf'] as const) {
    for (const [index, branch] of (schema[junctor] ?? []).entries())
      add(`${junctor}[${index}]`, branch)
  }
  return found
}

/** The path of the first schema beyond the limit, or undefined. Computed without recursion. */
function tooDeepSchema(schema: Schema, limit = maxSchemaDepth): string | undefined {
  let level = [{ path: '', schema }]
  for (let depth = 0; level.length > 0; depth += 1) {
    const first = level[0]
    if (depth > limit && first !== undefined) return first.path
    level = level.flatMap(({ path, schema: parent }) =>
      subSchemas(parent).map(({ segment, schema: child }) => ({
        path: path === '' ? segment : `${path}.${segment}`,
        schema: child,
      })),
    )
  }
  return undefined
}

/** Throws if a schema nests too deep to be compiled recursively. `checkStructural` reports such a schema beforehand. */
export function assertSchemaDepth(schema: Schema): void {
  const path = tooDeepSchema(schema)
  if (path === undefined) return
  throw new RangeError(`schema nests deeper than ${maxSchemaDepth} levels at ${path.slice(0, 200)}`)
}
