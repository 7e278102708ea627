import { at, same } from './chart-snapshot.ts'

/** A value that a schema rejects. */
export interface Refusal {
  /** `controllers.env.vars.A`, `env.extra[0].name`. */
  readonly path: string
  readonly problem: string
}

/**
 * Validates values against an inlined values schema. An unknown keyword of the schema is an error and never ignored.
 */
export function schemaRefusals(schema: unknown, values: unknown): readonly Refusal[] {
  return [...refusals(schema, values, '')]
}

type Found = Generator<Refusal>
type Check = (demand: never, value: unknown, path: string, schema: unknown) => Found

function* refusals(schema: unknown, value: unknown, path: string): Found {
  for (const [keyword, demand] of Object.entries(schema ?? {})) {
    if (annotations.includes(keyword)) continue
    const check = checks[keyword]
    if (check === undefined)
      throw new Error(`the values schema has the unsupported keyword ${keyword} at ${path}`)
    yield* check(demand as never, value, path, schema)
  }
}

const annotations = ['$schema', 'title', 'description', 'default']

const checks: Readonly<Record<string, Check>> = {
  *type(demand: string | readonly string[], value, path) {
    const types = [demand].flat()
    if (!types.some((type) => isOf(type, value)))
      yield { path, problem: `it must be ${types.join(' or ')}, not ${typeOf(value)}` }
  },
  *enum(choices: readonly unknown[], value, path) {
    if (!choices.some((choice) => same(choice, value)))
      yield {
        path,
        problem: `it must be one of ${choices.map((one) => JSON.stringify(one)).join(', ')}`,
      }
  },
  *minimum(least: number, value, path) {
    if (typeof value === 'number' && value < least)
      yield { path, problem: `it must be at least ${least}` }
  },
  *maximum(most: number, value, path) {
    if (typeof value === 'number' && value > most)
      yield { path, problem: `it must be at most ${most}` }
  },
  *minLength(least: number, value, path) {
    if (typeof value === 'string' && [...value].length < least)
      yield { path, problem: `it must have at least ${least} characters` }
  },
  *maxLength(most: number, value, path) {
    if (typeof value === 'string' && [...value].length > most)
      yield { path, problem: `it must have at most ${most} characters` }
  },
  *pattern(pattern: string, value, path) {
    if (typeof value === 'string' && !new RegExp(pattern, 'u').test(value))
      yield { path, problem: `it must match ${pattern}` }
  },
  *minItems(least: number, value, path) {
    if (Array.isArray(value) && value.length < least)
      yield { path, problem: `it must have at least ${least} entries` }
  },
  *items(schema: unknown, value, path) {
    if (!Array.isArray(value)) return
    for (const [index, entry] of value.entries())
      yield* refusals(schema, entry, `${path}[${index}]`)
  },
  *required(names: readonly string[], value, path) {
    if (!isMap(value)) return
    for (const name of names) {
      if (!Object.hasOwn(value, name))
        yield { path: below(path, name), problem: 'it is required and must not be null' }
    }
  },
  *properties(properties: Record<string, unknown>, value, path) {
    if (!isMap(value)) return
    for (const [name, schema] of Object.entries(properties)) {
      if (Object.hasOwn(value, name)) yield* refusals(schema, value[name], below(path, name))
    }
  },
  *additionalProperties(others: unknown, value, path, schema) {
    if (!isMap(value)) return
    const named = Object.keys(at(schema, 'properties') ?? {})
    for (const [name, entry] of Object.entries(value)) {
      if (named.includes(name)) continue
      if (others === false) yield { path: below(path, name), problem: 'the value does not exist' }
      else if (others !== true) yield* refusals(others, entry, below(path, name))
    }
  },
  *propertyNames(schema: unknown, value, path) {
    if (!isMap(value)) return
    for (const name of Object.keys(value)) yield* refusals(schema, name, below(path, name))
  },
  *anyOf(ways: readonly unknown[], value, path) {
    const found = ways.map((way) => schemaRefusalsBelow(way, value, path))
    if (found.some((refused) => refused.length === 0)) return
    // The alternative of the same type has the most helpful errors.
    const matching = ways.findIndex((way) => [at(way, 'type')].flat().includes(typeOf(value)))
    yield* found[matching] ?? [{ path, problem: `it must not be ${typeOf(value)}` }]
  },
  *allOf(parts: readonly unknown[], value, path) {
    for (const part of parts) yield* refusals(part, value, path)
  },
}

function schemaRefusalsBelow(schema: unknown, value: unknown, path: string): readonly Refusal[] {
  return [...refusals(schema, value, path)]
}

function isOf(type: string, value: unknown): boolean {
  if (type === 'integer') return typeof value === 'number' && Number.isInteger(value)
  return type === typeOf(value)
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function below(path: string, name: string): string {
  if (!/^[\w-]+$/.test(name)) return `${path}[${JSON.stringify(name)}]`
  return path === '' ? name : `${path}.${name}`
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeOf(value) === 'object'
}
