import { isJsonObject, type JsonObject, setOwnValue } from '../../schema/json-value.ts'
import type { Json, Schema } from '../../schema/schema.ts'

/**
 * Replaces the references in a schema of an OpenAPI document by the schemas. `find` returns a schema by its name, the
 * last part of `#/components/schemas/io.k8s.api.core.v1.Pod`. A recursive schema becomes an object without fields, as
 * in upstream. Undefined if a schema is missing.
 */
export function resolveReferences(
  name: string,
  find: (name: string) => Json | undefined,
): Schema | undefined {
  try {
    return inline({ $ref: `/${name}` }, find, new Set())
  } catch (error) {
    if (error instanceof MissingSchema) return undefined
    throw error
  }
}

class MissingSchema extends Error {
  override name = 'MissingSchema'
}

function inline(
  schema: JsonObject,
  find: (name: string) => Json | undefined,
  around: Set<string>,
): Schema {
  const name = referenceOf(schema)
  if (name === undefined) return inlineParts(schema, find, around)
  if (around.has(name)) return { type: 'object' }
  const target = find(name)
  if (!isJsonObject(target)) throw new MissingSchema(name)
  around.add(name)
  const resolved = inline(target, find, around)
  around.delete(name)
  return resolved
}

/** The reference of a schema. It may be wrapped in `allOf`, so that the schema can have other keywords. */
function referenceOf({ $ref, allOf }: JsonObject): string | undefined {
  if (typeof $ref === 'string') return $ref.slice($ref.lastIndexOf('/') + 1)
  for (const part of Array.isArray(allOf) ? allOf : []) {
    const found = isJsonObject(part) ? referenceOf(part) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

function inlineParts(
  schema: JsonObject,
  find: (name: string) => Json | undefined,
  around: Set<string>,
): Schema {
  const { properties, additionalProperties, items, format } = schema
  const result: JsonObject = { ...schema }
  if (isJsonObject(properties)) {
    const inlined: JsonObject = {}
    for (const [name, property] of Object.entries(properties)) {
      if (isJsonObject(property)) setOwnValue(inlined, name, asJson(inline(property, find, around)))
    }
    result.properties = inlined
  }
  if (isJsonObject(additionalProperties)) {
    result.additionalProperties = asJson(inline(additionalProperties, find, around))
  }
  if (isJsonObject(items)) result.items = asJson(inline(items, find, around))
  // Built-in types use a format where custom resources use an extension.
  if (format === 'int-or-string') result['x-kubernetes-int-or-string'] = true
  return result as Schema
}

function asJson(schema: Schema): JsonObject {
  return schema as JsonObject
}
