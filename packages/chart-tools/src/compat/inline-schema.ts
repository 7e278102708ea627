import { at } from './chart-snapshot.ts'

type Schema = Readonly<Record<string, unknown>>

/** A values schema without references: each `$ref`, and each `allOf` of one, is replaced by its definition. */
export function inlineSchema(schema: Schema): Schema {
  const { definitions, ...root } = schema
  return inlined(root, definitions) as Schema
}

function inlined(node: unknown, definitions: unknown): unknown {
  if (Array.isArray(node)) return node.map((entry) => inlined(entry, definitions))
  if (typeof node !== 'object' || node === null) return node
  const { $ref, allOf, ...rest } = node as Record<string, unknown>
  if (typeof $ref === 'string') return inlined(resolveReference($ref, definitions), definitions)
  const [only, ...more] = Array.isArray(allOf) ? allOf : []
  const merged =
    only !== undefined && more.length === 0
      ? { ...rest, ...(inlined(only, definitions) as object) }
      : node
  return Object.fromEntries(
    Object.entries(merged).map(([key, value]) =>
      // A default is data, not a schema.
      key === 'default' ? [key, value] : [key, inlined(value, definitions)],
    ),
  )
}

function resolveReference(reference: string, definitions: unknown): unknown {
  const name = /^#\/definitions\/(\w+)$/.exec(reference)?.[1]
  const found = name === undefined ? undefined : at(definitions, name)
  if (found === undefined) throw new Error(`the values schema has no ${reference}`)
  return found
}
