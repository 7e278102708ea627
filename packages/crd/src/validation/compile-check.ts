import { createProgram, literal, type Program, readMember } from '../codegen/program.ts'
import { exceedsDepth, maxValueDepth } from '../schema/nesting.ts'
import type { Json, Schema } from '../schema/schema.ts'
import { checkResource } from './embedded.ts'
import type { ReportContext } from './outcome.ts'
import { isOpaque, report } from './report.ts'
import { numberSource, stringSource } from './scalar-source.ts'
import { distinctByKeys, distinctItems } from './uniqueness.ts'

interface Compilation {
  readonly program: Program
  readonly context: ReportContext
}

/**
 * Compiles a check that is true only for valid values. If it is false, the exact report decides, which may still find
 * the value valid (an integer beyond 2^53, a special case of upstream).
 */
export function compileCheck(schema: Schema, context: ReportContext): (value: Json) => boolean {
  const program = createProgram()
  const name = defineNode({ program, context }, schema)
  return program.run(name) as (value: Json) => boolean
}

function defineNode(compilation: Compilation, schema: Schema): string {
  const name = compilation.program.declare()
  compilation.program.define(name, 'v', `${valueSource(compilation, schema, 'v')}\nreturn true;`)
  return name
}

/** Statements that return false unless the value, which is not undefined, satisfies the schema. */
function valueSource(compilation: Compilation, schema: Schema, v: string): string {
  const source = [
    typedSource(compilation, schema, v),
    junctorSource(compilation, schema, v),
    enumSource(schema, v),
    opaqueSource(compilation, schema, v),
  ]
    .filter((part) => part !== '')
    .join('\n')
  const isTyped = schema.type !== undefined || schema['x-kubernetes-int-or-string'] === true
  if (isTyped && schema.nullable !== true) return source
  const admitsNull = schema.enum === undefined || schema.enum.length === 0
  return admitsNull
    ? `if (${v} !== null) {\n${source}\n}`
    : `if (${v} === null) return false;\n${source}`
}

function typedSource(compilation: Compilation, schema: Schema, v: string): string {
  if (schema['x-kubernetes-int-or-string'] === true) {
    const string = stringSource(compilation.program, compilation.context, schema, v)
    return `if (typeof ${v} === 'string') { ${string} } else { if (!Number.isSafeInteger(${v})) return false; ${numberSource(schema, v)} }`
  }
  switch (schema.type) {
    case 'string':
      return `if (typeof ${v} !== 'string') return false;\n${stringSource(compilation.program, compilation.context, schema, v)}`
    case 'integer':
      return `if (!Number.isSafeInteger(${v})) return false;\n${numberSource(schema, v)}`
    case 'number':
      return `if (typeof ${v} !== 'number') return false;\n${numberSource(schema, v)}`
    case 'boolean':
      return `if (typeof ${v} !== 'boolean') return false;`
    case 'array':
      return `if (!Array.isArray(${v})) return false;\n${arraySource(compilation, schema, v)}`
    case 'object':
      return `if (typeof ${v} !== 'object' || ${v} === null || Array.isArray(${v})) return false;\n${objectSource(compilation, schema, v)}`
    default:
      return untypedSource(compilation, schema, v)
  }
}

/** Statements for keywords without a type: they constrain values of the applicable types and accept others. */
function untypedSource(compilation: Compilation, schema: Schema, v: string): string {
  const string = stringSource(compilation.program, compilation.context, schema, v)
  if (schema.format !== undefined) return `if (typeof ${v} !== 'string') return false;\n${string}`
  const number = numberSource(schema, v)
  const parts = [
    string === '' ? '' : `if (typeof ${v} === 'string') { ${string} }`,
    number === ''
      ? ''
      : `if (typeof ${v} === 'bigint') return false; if (typeof ${v} === 'number') { ${number} }`,
  ]
  const array = arraySource(compilation, schema, v)
  const object = objectSource(compilation, schema, v)
  if (array !== '') parts.push(`if (Array.isArray(${v})) { ${array} }`)
  if (object !== '') {
    parts.push(
      `if (typeof ${v} === 'object' && ${v} !== null && !Array.isArray(${v})) { ${object} }`,
    )
  }
  return parts.filter((part) => part !== '').join('\n')
}

function arraySource(compilation: Compilation, schema: Schema, v: string): string {
  const { program } = compilation
  const parts: string[] = []
  if (schema.minItems !== undefined)
    parts.push(`if (${v}.length < ${literal(schema.minItems)}) return false;`)
  if (schema.maxItems !== undefined)
    parts.push(`if (${v}.length > ${literal(schema.maxItems)}) return false;`)
  if (schema.items !== undefined) {
    const x = program.variable()
    const i = program.variable()
    const item = valueSource(compilation, schema.items, x)
    if (item !== '') {
      parts.push(
        `for (let ${i} = 0; ${i} < ${v}.length; ${i}++) { const ${x} = ${v}[${i}];\n${item}\n}`,
      )
    }
  }
  const listType = schema['x-kubernetes-list-type']
  if (listType === 'set' || schema.uniqueItems === true) {
    parts.push(`if (${v}.length > 1 && !${program.constant(distinctItems)}(${v})) return false;`)
  }
  if (listType === 'map') {
    const keys = program.constant(schema['x-kubernetes-list-map-keys'] ?? [])
    parts.push(
      `if (${v}.length > 0 && !${program.constant(distinctByKeys)}(${v}, ${keys})) return false;`,
    )
  }
  return parts.join('\n')
}

function objectSource(compilation: Compilation, schema: Schema, v: string): string {
  const parts: string[] = []
  const { program } = compilation
  if (schema.minProperties !== undefined || schema.maxProperties !== undefined) {
    const n = program.variable()
    parts.push(`const ${n} = Object.keys(${v}).length;`)
    parts.push(
      `if (${n} < ${literal(schema.minProperties ?? 0)} || ${n} > ${literal(schema.maxProperties ?? 2 ** 53)}) return false;`,
    )
  }
  const required = new Set(schema.required ?? [])
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const x = program.variable()
    const absent = required.has(name) ? `if (${x} === undefined) return false;\n` : ''
    const check = memberCheck(compilation, property, x)
    if (absent === '' && check === '') continue
    const present =
      check === '' ? '' : absent === '' ? `if (${x} !== undefined) { ${check} }` : check
    parts.push(`const ${x} = ${readMember(v, name)};\n${absent}${present}`)
    required.delete(name)
  }
  for (const name of required)
    parts.push(`if (!Object.hasOwn(${v}, ${literal(name)})) return false;`)
  parts.push(additionalSource(compilation, schema, v))
  if (schema['x-kubernetes-embedded-resource'] === true) {
    parts.push(`if (${program.constant(checkResource)}(${v}, "").length > 0) return false;`)
  }
  return parts.filter((part) => part !== '').join('\n')
}

/**
 * Source that checks a member. Compound values have separate functions, so that the source does not nest as deep as the
 * schema.
 */
function memberCheck(compilation: Compilation, schema: Schema, x: string): string {
  const isCompound =
    schema.properties !== undefined ||
    typeof schema.additionalProperties === 'object' ||
    schema.items !== undefined
  if (!isCompound) return valueSource(compilation, schema, x)
  return `if (!${defineNode(compilation, schema)}(${x})) return false;`
}

function additionalSource(compilation: Compilation, schema: Schema, v: string): string {
  const { additionalProperties } = schema
  if (additionalProperties === undefined || additionalProperties === true) return ''
  const { program } = compilation
  const known = Object.keys(schema.properties ?? {})
  const k = program.variable()
  const skip =
    known.length === 0 ? '' : `if (${program.constant(new Set(known))}.has(${k})) continue;`
  if (additionalProperties === false) return `for (const ${k} in ${v}) { ${skip} return false; }`
  const x = program.variable()
  const check = memberCheck(compilation, additionalProperties, x)
  return check === ''
    ? ''
    : `for (const ${k} in ${v}) { ${skip} const ${x} = ${v}[${k}];\n${check}\n}`
}

function junctorSource(compilation: Compilation, schema: Schema, v: string): string {
  const parts: string[] = []
  for (const branch of schema.allOf ?? [])
    parts.push(`if (!${defineNode(compilation, branch)}(${v})) return false;`)
  const anyOf = schema.anyOf ?? []
  if (anyOf.length > 0) {
    const branches = anyOf.map((branch) => `${defineNode(compilation, branch)}(${v})`)
    parts.push(`if (!(${branches.join(' || ')})) return false;`)
  }
  const oneOf = schema.oneOf ?? []
  if (oneOf.length > 0) {
    const count = oneOf.map((branch) => `(${exactSource(compilation, branch, v)} ? 1 : 0)`)
    parts.push(`if (${count.join(' + ')} !== 1) return false;`)
  }
  if (schema.not !== undefined)
    parts.push(`if (${exactSource(compilation, schema.not, v)}) return false;`)
  return parts.join('\n')
}

/** Source of an exact check: `oneOf` and `not` cannot use a check that may be false for valid values. */
function exactSource({ program, context }: Compilation, schema: Schema, v: string): string {
  if (Object.keys(schema).join() === 'required') {
    const has = (schema.required ?? []).map((name) => `Object.hasOwn(${v}, ${literal(name)})`)
    const isObject = `typeof ${v} === 'object' && ${v} !== null && !Array.isArray(${v})`
    return `(!(${isObject}) || (${has.join(' && ') || 'true'}))`
  }
  const exact = (value: Json) => report(schema, value, '', context, undefined).findings.length === 0
  return `${program.constant(exact)}(${v})`
}

function enumSource(schema: Schema, v: string): string {
  const allowed = schema.enum ?? []
  if (allowed.length === 0) return ''
  const scalars = allowed.filter(
    (entry) => typeof entry === 'string' || typeof entry === 'boolean' || Number.isFinite(entry),
  )
  const tests = scalars.map((entry) => `${v} !== ${literal(entry as string | number | boolean)}`)
  return tests.length === 0 ? 'return false;' : `if (${tests.join(' && ')}) return false;`
}

function opaqueSource({ program }: Compilation, schema: Schema, v: string): string {
  return isOpaque(schema) ? `if (!${program.constant(isShallow)}(${v}, 64)) return false;` : ''
}

/** Whether the value is not too deep. Recursion is bounded by `steps`; deeper values are checked without recursion. */
function isShallow(value: Json, steps: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (steps === 0) return !exceedsDepth(value, maxValueDepth - 64)
  if (Array.isArray(value)) {
    for (const item of value) if (!isShallow(item, steps - 1)) return false
    return true
  }
  for (const key in value) if (!isShallow(value[key] ?? null, steps - 1)) return false
  return true
}
