import { createProgram, literal, type Program, readMember } from '../codegen/program.ts'
import type { Json, Schema } from '../schema/schema.ts'

/**
 * Compiles a quick scan for whether pruning might drop something. True may be wrong, false never is: nearly all objects
 * need no pruning, and only the scan runs for them.
 */
export function compileScan(schema: Schema, isResourceRoot: boolean): (value: Json) => boolean {
  const program = createProgram()
  const isResource = isResourceRoot || isEmbedded(schema)
  const name = isPreserving(schema)
    ? defineKnownOnly(program, schema, isResource)
    : defineSpecified(program, schema, isResource)
  if (name === undefined) return () => false
  return program.run(name) as (value: Json) => boolean
}

function isPreserving(schema: Schema): boolean {
  return schema['x-kubernetes-preserve-unknown-fields'] === true
}

function isCompoundSource(value: string): string {
  return `(typeof ${value} === 'object' && ${value} !== null)`
}

/** Source that scans one value of this schema. */
function scanSource(program: Program, schema: Schema | undefined, value: string): string {
  // Embedded resources are rare, and their metadata is pruned too: the exact walk handles them.
  if (schema === undefined || isEmbedded(schema)) return isCompoundSource(value)
  if (isPreserving(schema)) {
    const name = defineKnownOnly(program, schema, false)
    return name === undefined ? 'false' : `${name}(${value})`
  }
  const describesNothing =
    schema.properties === undefined &&
    schema.additionalProperties === undefined &&
    schema.items === undefined
  if (describesNothing) return isCompoundSource(value)
  return `${defineSpecified(program, schema, false)}(${value})`
}

const metadataCases = 'case "apiVersion": case "kind": case "metadata": break;'

function defineSpecified(program: Program, schema: Schema, isResource: boolean): string {
  const name = program.declare()
  const properties = Object.entries(schema.properties ?? {}).filter(
    ([key]) => !isResource || !isMeta(key),
  )
  const plain: string[] = []
  const cases: string[] = []
  for (const [key, property] of properties) {
    const source = scanSource(program, property, 'x')
    if (source === isCompoundSource('x')) plain.push(`case ${literal(key)}:`)
    else if (source === 'false') cases.push(`case ${literal(key)}: break;`)
    else cases.push(`case ${literal(key)}: if (${source}) return true; break;`)
  }
  if (plain.length > 0)
    cases.push(`${plain.join(' ')} if (${isCompoundSource('x')}) return true; break;`)
  const { additionalProperties } = schema
  const described = typeof additionalProperties === 'object' ? additionalProperties : undefined
  const rest =
    additionalProperties === undefined
      ? 'return true;'
      : `if (${scanSource(program, described, 'x')}) return true;`
  const loop =
    cases.length === 0 && !isResource
      ? rest
      : `switch (k) { ${isResource ? metadataCases : ''} ${cases.join('\n')} default: ${rest} }`
  program.define(
    name,
    'v',
    `if (typeof v !== 'object' || v === null) return false;
if (Array.isArray(v)) { for (const x of v) if (${scanSource(program, schema.items, 'x')}) return true; return false; }
for (const k in v) { const x = v[k]; ${loop} }
return false;`,
  )
  return name
}

/**
 * Defines the scan of the known members of an object that preserves unknown fields; undefined if nothing can be dropped
 * below them.
 */
function defineKnownOnly(
  program: Program,
  schema: Schema,
  isResource: boolean,
): string | undefined {
  const checks: string[] = []
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    if (isResource && isMeta(key)) continue
    const x = program.variable()
    const source = scanSource(program, property, x)
    if (source === 'false') continue
    checks.push(
      `const ${x} = ${readMember('v', key)}; if (${x} !== undefined && ${source}) return true;`,
    )
  }
  // A map that also preserves unknown fields is rare: the exact walk handles its content.
  if (schema.additionalProperties !== undefined) checks.push('for (const k in v) return true;')
  const { items } = schema
  const below = items === undefined ? undefined : knownOnlyItem(program, items)
  if (checks.length === 0 && below === undefined) return undefined
  const name = program.declare()
  const walk = below === undefined ? '' : `for (const x of v) if (${below}) return true;`
  program.define(
    name,
    'v',
    `if (typeof v !== 'object' || v === null) return false;
if (Array.isArray(v)) { ${walk} return false; }
${checks.join('\n')}
return false;`,
  )
  return name
}

function knownOnlyItem(program: Program, items: Schema): string | undefined {
  if (isEmbedded(items)) return isCompoundSource('x')
  const name = defineKnownOnly(program, items, false)
  return name === undefined ? undefined : `${name}(x)`
}

function isEmbedded(schema: Schema): boolean {
  return schema['x-kubernetes-embedded-resource'] === true
}

function isMeta(key: string): boolean {
  return key === 'apiVersion' || key === 'kind' || key === 'metadata'
}
