import { ownValue } from '../schema/json-value.ts'
import type { Schema } from '../schema/schema.ts'

type ResolvedPath =
  | { readonly path: string; readonly root: string; readonly schema: Schema }
  | { readonly problem: string }

/** Resolves a simple JSON path such as `.spec.name` or `['a.b']` in a schema. Returns the schema or the problem. */
export function resolveFieldPath(
  text: string,
  schema: Schema,
  allowBrackets: boolean,
): ResolvedPath {
  const tokens = tokenize(text)
  const segments: string[] = []
  let current = schema
  let root = ''
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] ?? ''
    if (token !== '.' && token !== '[') return { problem: `expected [ or . but got: ${token}` }
    if (token === '[' && !allowBrackets) return { problem: 'array notation is not allowed' }
    at += 1
    const next = tokens[at]
    if (next === undefined) return { problem: 'unexpected end of JSON path' }
    let name = next
    if (token === '[') {
      if (next.length < 2 || !next.startsWith("'") || !next.endsWith("'")) {
        return { problem: `expected single quoted string but got ${next}` }
      }
      name = next.slice(1, -1).replace(/\\(['\\])/g, '$1')
      at += 1
      const close = tokens[at]
      if (close === undefined) return { problem: 'unexpected end of JSON path' }
      if (close !== ']') return { problem: `expected ] but got ${close}` }
    }
    const below = descend(current, name)
    if (below === undefined) return { problem: 'does not refer to a valid field' }
    segments.push(below.isNamed ? (segments.length === 0 ? name : `.${name}`) : `[${name}]`)
    if (root === '') root = name
    current = below.schema
  }
  return { path: segments.join(''), root, schema: current }
}

function descend(schema: Schema, name: string): { schema: Schema; isNamed: boolean } | undefined {
  if (schema.properties !== undefined) {
    const property = ownValue(schema.properties, name)
    return property === undefined ? undefined : { schema: property, isNamed: true }
  }
  const additional = schema.additionalProperties
  return typeof additional === 'object' ? { schema: additional, isNamed: false } : undefined
}

/** Splits a path into tokens: delimiters, quoted strings, and the text between them. */
function tokenize(text: string): string[] {
  return text.match(/'(?:[^'\\]|\\.)*'?|[.[\]]|[^.[\]]+/gs) ?? []
}
