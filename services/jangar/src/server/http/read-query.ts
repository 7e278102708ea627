import { ApiError } from '../api/api-error.ts'
import { type ParameterSchema, textProblem } from './schema.ts'

/** Reads the declared parameters. Unknown and repeated ones are errors, so that a typo never widens a list. */
export function readQuery(
  given: URLSearchParams,
  declared: Readonly<Record<string, ParameterSchema>>,
  required: readonly string[] = [],
): Readonly<Record<string, unknown>> {
  for (const name of new Set(given.keys())) {
    if (!Object.hasOwn(declared, name)) {
      const names = Object.keys(declared)
      const known = names.length === 0 ? 'there are none' : `known are ${names.join(', ')}`
      throw new ApiError('BadRequest', `unknown query parameter ${quoted(name)}; ${known}`)
    }
  }
  const missing = required.find((name) => !given.has(name))
  if (missing !== undefined) {
    throw new ApiError('BadRequest', `query parameter ${missing} is required`)
  }
  return Object.fromEntries(
    Object.entries(declared).map(([name, schema]) => [
      name,
      read(name, given.getAll(name), schema),
    ]),
  )
}

function read(name: string, values: readonly string[], schema: ParameterSchema): unknown {
  const fail = (problem: string): never => {
    throw new ApiError('BadRequest', `query parameter ${name} ${problem}`)
  }
  if (schema.type === 'array') {
    if (values.length > schema.maxItems) fail(`may be given at most ${schema.maxItems} times`)
    for (const value of values) {
      const problem = textProblem(schema.items, value)
      if (problem !== undefined) fail(problem)
    }
    return values
  }
  if (values.length > 1) fail('may be given only once')
  const [value] = values
  if (schema.type === 'boolean') {
    if (value === undefined || value === 'false') return false
    return value === 'true' || value === '' ? true : fail('must be true or false')
  }
  if (schema.type === 'integer') {
    if (value === undefined) return schema.default
    const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = schema
    const number = Number(value)
    if (!/^\d{1,15}$/.test(value) || number < minimum || number > maximum) {
      fail(`must be an integer from ${minimum} to ${maximum}`)
    }
    return number
  }
  if (value === undefined) return undefined
  const problem = textProblem(schema, value)
  return problem === undefined ? value : fail(problem)
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 100))
}
