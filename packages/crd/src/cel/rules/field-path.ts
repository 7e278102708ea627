import type { Schema } from '../../schema/schema.ts'

type RuleFieldPath = { readonly path: string; readonly schema: Schema } | { readonly error: string }

/**
 * Resolves a `fieldPath` such as `.spec.items['a.b']` in a schema. The resulting path has the notation of field errors.
 */
export function resolveFieldPath(text: string, root: Schema): RuleFieldPath {
  const tokens = tokenize(text)
  let path = ''
  let schema = root
  let at = 0
  while (at < tokens.length) {
    const opener = tokens[at++]
    let name: string | undefined
    if (opener === '.') {
      name = tokens[at++]
      if (name === undefined) return { error: unexpectedEnd }
    } else if (opener === '[') {
      const literal = tokens[at++]
      if (literal === undefined) return { error: unexpectedEnd }
      const unquoted = unquote(literal)
      if (typeof unquoted !== 'string') return unquoted
      name = unquoted
      const closer = tokens[at++]
      if (closer === undefined) return { error: unexpectedEnd }
      if (closer !== ']') return { error: `expected ] but got ${closer}` }
    } else return { error: `expected [ or . but got: ${opener}` }
    const next = step(schema, name)
    if (next === undefined) return { error: 'does not refer to a valid field' }
    path += schema.properties === undefined ? `[${name}]` : `${path === '' ? '' : '.'}${name}`
    schema = next
  }
  return { path, schema }
}

const unexpectedEnd = 'unexpected end of JSON path'

/** Splits a path into the three delimiters, quoted strings, and the text between them. */
function tokenize(text: string): string[] {
  return text.match(/[.[\]]|'(?:[^'\\]|\\.)*'|'[\s\S]*$|[^.[\]']+|[^.[\]]+/g) ?? []
}

function step(schema: Schema, name: string): Schema | undefined {
  if (schema.properties !== undefined) {
    return Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined
  }
  const { additionalProperties } = schema
  return typeof additionalProperties === 'object' ? additionalProperties : undefined
}

function unquote(literal: string): string | { error: string } {
  if (literal.length < 2 || !literal.startsWith("'") || !literal.endsWith("'")) {
    return { error: `expected single quoted string but got ${literal}` }
  }
  let failure: string | undefined
  const text = literal.slice(1, -1).replace(/\\([^\n])/g, (sequence, character: string) => {
    const plain = escapedNames.get(character)
    if (plain === undefined) failure = `invalid string literal: invalid escape char ${sequence}`
    return plain ?? ''
  })
  return failure === undefined ? text : { error: failure }
}

const escapedNames = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ["'", "'"],
  ['\\', '\\'],
])
