import { ApiError } from '../api/api-error.ts'
import type { JsonSchema } from './schema.ts'
import { type IntegerSchema, type TextSchema, textProblem } from './schema.ts'

/** Checks a body against the part of JSON Schema that the descriptions of bodies use. Throws `BadRequest`. */
export function checkBody(body: unknown, schema: JsonSchema): void {
  const problem = problemOf(body, schema, 'the body')
  if (problem !== undefined) throw new ApiError('BadRequest', problem)
}

function problemOf(value: unknown, schema: JsonSchema, at: string): string | undefined {
  switch (schema.type) {
    case 'object':
      return isObject(value) ? objectProblem(value, schema, at) : `${at} must be an object`
    case 'array':
      return arrayProblem(value, schema, at)
    case 'string': {
      if (typeof value !== 'string') return `${at} must be a string`
      const problem = textProblem(schema as unknown as TextSchema, value)
      return problem && `${at} ${problem}`
    }
    case 'integer':
      return integerProblem(value, schema as unknown as IntegerSchema, at)
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `${at} must be true or false`
    default:
      return undefined
  }
}

function integerProblem(
  value: unknown,
  { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER }: IntegerSchema,
  at: string,
): string | undefined {
  // Larger numbers are bigint values.
  if (!Number.isSafeInteger(value)) return `${at} must be a whole number`
  const number = value as number
  if (number < minimum || number > maximum) return `${at} must be from ${minimum} to ${maximum}`
  return undefined
}

function objectProblem(
  value: Readonly<Record<string, unknown>>,
  schema: JsonSchema,
  at: string,
): string | undefined {
  const properties = (schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>
  const required = (schema.required ?? []) as readonly string[]
  const missing = required.find((name) => !Object.hasOwn(value, name))
  if (missing !== undefined) return `${at} must have ${missing}`
  const { additionalProperties = true } = schema
  for (const [name, field] of Object.entries(value)) {
    const own = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (own === undefined && additionalProperties === false) {
      return `${at} has an unknown field ${JSON.stringify(name.slice(0, 100))}`
    }
    const others = isObject(additionalProperties) ? additionalProperties : {}
    const problem = problemOf(field, own ?? others, name)
    if (problem !== undefined) return problem
  }
  return undefined
}

function arrayProblem(value: unknown, schema: JsonSchema, at: string): string | undefined {
  const { items = {}, maxItems = 1000 } = schema as { items?: JsonSchema; maxItems?: number }
  if (!Array.isArray(value)) return `${at} must be a list`
  if (value.length > maxItems) return `${at} must have at most ${maxItems} items`
  return value.map((item) => problemOf(item, items, at)).find((problem) => problem !== undefined)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
