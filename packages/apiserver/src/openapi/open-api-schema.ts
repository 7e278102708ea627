/** A schema in OpenAPI. */
export type OpenApiSchema = Readonly<Record<string, unknown>>

export interface GroupVersionKind {
  readonly group: string
  readonly version: string
  readonly kind: string
}

const schemaRoot = '#/components/schemas/'

export function schemaReference(name: string): OpenApiSchema {
  return { $ref: `${schemaRoot}${name}` }
}

/** Combines a reference with other keywords in an `allOf` of one, since a reference cannot have siblings. */
export function referenceWith(name: string, siblings: OpenApiSchema): OpenApiSchema {
  const isBare = Object.keys(siblings).length === 0
  return isBare ? schemaReference(name) : { ...siblings, allOf: [schemaReference(name)] }
}

/** Names of the schemas that a value refers to, at any depth. */
export function referencedNames(value: unknown, found = new Set<string>()): Set<string> {
  if (Array.isArray(value)) {
    for (const item of value) referencedNames(item, found)
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, part] of Object.entries(value)) {
      if (key === '$ref' && typeof part === 'string') found.add(part.slice(schemaRoot.length))
      else referencedNames(part, found)
    }
  }
  return found
}
