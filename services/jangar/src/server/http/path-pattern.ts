import { ApiError } from '../api/api-error.ts'
import { webhookProviders } from '../inbox/delivery/signature.ts'
import { type TextSchema, textProblem } from './schema.ts'

/** The parameters of paths. A value cannot leave its place in a path of the API server: no slash, percent or dots. */
export const pathParameters = {
  namespace: {
    type: 'string',
    description: 'The namespace.',
    pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$',
    maxLength: 63,
  },
  name: {
    type: 'string',
    description: 'The name of the object.',
    pattern: '^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$',
    maxLength: 253,
  },
  kind: {
    type: 'string',
    description: 'The plural of the kind, with its group: `agentruns.agents.proompteng.ai`.',
    pattern: '^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$',
    maxLength: 253,
  },
  delivery: {
    type: 'string',
    description: 'The identifier of the delivery in the inbox.',
    pattern: '^[1-9][0-9]{0,17}$',
    maxLength: 18,
  },
  id: {
    type: 'string',
    description: 'The uid of the run.',
    pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
    maxLength: 36,
  },
  provider: {
    type: 'string',
    description: 'The issue tracker.',
    enum: webhookProviders,
  },
} as const satisfies Readonly<Record<string, TextSchema>>

const known: Readonly<Record<string, TextSchema>> = pathParameters

/** The names of the parameters of a path. */
export function parametersOf(path: string): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
}

/** Matches paths segment by segment. The result is undefined for another path. */
export function pathPattern(
  path: string,
): (segments: readonly string[]) => Readonly<Record<string, string>> | undefined {
  for (const name of parametersOf(path)) {
    if (known[name] === undefined) throw new TypeError(`${path}: ${name} is not declared`)
  }
  const wanted = path.split('/')
  return (segments) => {
    if (segments.length !== wanted.length) return undefined
    const found: Record<string, string> = {}
    for (const [index, segment] of segments.entries()) {
      const name = /^\{(\w+)\}$/.exec(wanted[index] ?? '')?.[1]
      if (name === undefined ? segment !== wanted[index] : segment === '') return undefined
      if (name !== undefined) found[name] = segment
    }
    return found
  }
}

/** Throws if a value is not a possible name. */
export function checkPathParameters(values: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(values)) {
    const problem = known[name] && textProblem(known[name], value)
    if (problem !== undefined) throw new ApiError('BadRequest', `${name} in the path ${problem}`)
  }
}
