import type { Tool } from '@agents/jangar-api'
import { parametersProblem } from '../../primitives-policy/parameters.ts'
import type { PolicyProblem } from '../../primitives-policy/policy-problem.ts'
import { parameterNamesProblem } from '../../supporting-primitives-controller/tool/tool-variables.ts'

type Parameters = Readonly<Record<string, string>>

/**
 * The parameters of a run with the defaults of its tool. One that is neither given nor has a default is absent.
 * Messages show no values.
 */
export function toolParameters(
  { metadata, spec }: Tool,
  given: Parameters,
): { readonly values: Parameters } | PolicyProblem<'InvalidParameters'> {
  const { parameters: declared } = spec
  const problem = parametersProblem(given)
  if (problem !== undefined) return problem
  const names = parameterNamesProblem(Object.keys(given))
  if (names !== undefined) return invalid(names)
  if (declared === undefined) return { values: given }
  const unknown = Object.keys(given).find((name) => !declared.some((one) => one.name === name))
  if (unknown !== undefined) {
    const known = declared.map(({ name }) => name).join(', ') || 'none'
    return invalid(`Tool ${metadata.name} has no parameter ${unknown}; it has ${known}`)
  }
  const values = new Map<string, string>()
  for (const { name, default: fallback, required, enum: permitted } of declared) {
    const value = Object.hasOwn(given, name) ? given[name] : fallback
    if (value === undefined) {
      if (required) return invalid(`Tool ${metadata.name} requires the parameter ${name}; set it`)
      continue
    }
    if (permitted && !permitted.includes(value)) {
      return invalid(`the parameter ${name} must be one of ${permitted.join(', ')}`)
    }
    values.set(name, value)
  }
  return { values: Object.fromEntries(values) }
}

function invalid(message: string): PolicyProblem<'InvalidParameters'> {
  return { reason: 'InvalidParameters', message }
}
