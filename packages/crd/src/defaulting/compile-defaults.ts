import {
  createProgram,
  literal,
  type Program,
  readMember,
  writeMember,
} from '../codegen/program.ts'
import { cloneJson } from '../schema/json-value.ts'
import type { Json, Schema } from '../schema/schema.ts'
import { completedDefault } from './completed-default.ts'

/**
 * Compiles a function that drops nulls where the schema allows neither null nor a default, and then sets defaults, in
 * one pass. The defaults themselves are completed at compile time, so that only the input is walked.
 */
export function compileDefaults(schema: Schema): (value: Json) => void {
  const program = createProgram()
  const name = defineNode(program, schema)
  if (name === undefined) return () => undefined
  return program.run(name) as (value: Json) => void
}

/**
 * Defines the function that defaults a value of this schema, or returns undefined if the schema has nothing to default.
 */
function defineNode(program: Program, schema: Schema): string | undefined {
  const properties = Object.entries(schema.properties ?? {})
  const name = program.declare()
  const members = properties
    .map(([key, property]) => propertySource(program, key, property))
    .join('\n')
  const additional =
    typeof schema.additionalProperties === 'object'
      ? additionalSource(program, schema.additionalProperties, Object.keys(schema.properties ?? {}))
      : ''
  const items = schema.items === undefined ? '' : itemsSource(program, schema.items)
  if (members + additional + items === '') return undefined
  program.define(
    name,
    'v',
    `if (typeof v !== 'object' || v === null) return;
if (Array.isArray(v)) { ${items} return; }
${members}
${additional}`,
  )
  return name
}

function propertySource(program: Program, key: string, schema: Schema): string {
  const below = defineNode(program, schema)
  const filled = defaultSource(program, schema)
  const read = readMember('v', key)
  const x = program.variable()
  if (filled === undefined) {
    const descend = below === undefined ? '' : `else if (${x} !== undefined) ${below}(${x});`
    if (schema.nullable === true) {
      return below === undefined
        ? ''
        : `{ const ${x} = ${read}; if (${x} !== undefined) ${below}(${x}); }`
    }
    return `{ const ${x} = ${read}; if (${x} === null) delete v[${literal(key)}]; ${descend} }`
  }
  const missing =
    schema.nullable === true ? `${x} === undefined` : `${x} === undefined || ${x} === null`
  const descend = below === undefined ? '' : `else ${below}(${x});`
  return `{ const ${x} = ${read}; if (${missing}) { ${writeMember('v', key, filled)} } ${descend} }`
}

function additionalSource(program: Program, schema: Schema, known: readonly string[]): string {
  const below = defineNode(program, schema)
  const filled = defaultSource(program, schema)
  if (below === undefined && schema.nullable === true) return ''
  const skip = known.length === 0 ? '' : `if (${program.constant(new Set(known))}.has(k)) continue;`
  const write = `Object.defineProperty(v, k, { value: ${filled}, writable: true, enumerable: true, configurable: true });`
  const onNull = schema.nullable === true ? '' : filled === undefined ? 'delete v[k];' : write
  const descend = below === undefined ? '' : `else ${below}(x);`
  return `for (const k of Object.keys(v)) { ${skip} const x = v[k]; if (x === null) { ${onNull} } ${descend} }`
}

function itemsSource(program: Program, schema: Schema): string {
  const below = defineNode(program, schema)
  const filled = schema.nullable === true ? undefined : defaultSource(program, schema)
  if (below === undefined && filled === undefined) return ''
  const onNull = filled === undefined ? '' : `if (x === null) { v[i] = ${filled}; continue; }`
  const descend = below === undefined ? '' : `${below}(x);`
  return `for (let i = 0; i < v.length; i++) { const x = v[i]; ${onNull} ${descend} }`
}

/** Source of a new copy of the completed default. */
function defaultSource(program: Program, schema: Schema): string | undefined {
  const value = completedDefault(schema)
  if (value === undefined) return undefined
  if (typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)) {
    return JSON.stringify(value)
  }
  if (Array.isArray(value) && value.length === 0) return '[]'
  if (typeof value === 'object' && value !== null && Object.keys(value).length === 0) return '{}'
  return `${program.constant(cloneJson)}(${program.constant(value)})`
}
