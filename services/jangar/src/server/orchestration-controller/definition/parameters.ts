import type { Problem } from '../expressions/problem.ts'
import type { Graph, GraphParameter, OrchestrationSpec } from './graph.ts'

type ReadParameters =
  | { readonly ok: true; readonly parameters: Graph['parameters'] }
  | { readonly ok: false; readonly problem: Problem }

/** The parameters of an AgentRun have the same limits. */
const mostParameters = 100
/** In bytes of UTF-8. */
const largestParameter = 2048
/** A segment of a path in a template. */
const parameterName = /^[\w-]+$/

/** Reads the declared parameters of a graph. */
export function readParameters(declared: OrchestrationSpec['parameters']): ReadParameters {
  const known = new Set<string>()
  const parameters: GraphParameter[] = []
  for (const [index, { name, default: fallback, required, enum: values }] of (
    declared ?? []
  ).entries()) {
    const wrong = (field: string, message: string): ReadParameters => ({
      ok: false,
      problem: { reason: 'InvalidParameters', path: `spec.parameters[${index}].${field}`, message },
    })
    if (!parameterName.test(name)) {
      return wrong(
        'name',
        'must consist of letters, digits, _ and -, as templates use it in a path',
      )
    }
    if (known.has(name)) return wrong('name', `${name} is declared twice`)
    known.add(name)
    if (values?.length === 0) return wrong('enum', 'permits no value; add one, or remove the field')
    if (fallback !== undefined) {
      if (values && !values.includes(fallback)) return wrong('default', 'is not one of enum')
      const size = sizeProblem(fallback)
      if (size !== undefined) return wrong('default', size)
    }
    parameters.push({ name, default: fallback, required: required ?? false, values })
  }
  return { ok: true, parameters: declared && parameters }
}

type RunParameters =
  | { readonly ok: true; readonly parameters: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly message: string }

/**
 * The parameters of a run with the defaults of its graph filled in. A declared parameter that has no value is an empty
 * text, so that templates and expressions can rely on it. Messages do not show values.
 */
export function runParameters(
  { parameters: declared }: Pick<Graph, 'parameters'>,
  given: Readonly<Record<string, string>>,
): RunParameters {
  const entries = Object.entries(given)
  if (entries.length > mostParameters) {
    return wrongValue(
      `the run has ${entries.length} parameters; at most ${mostParameters} are allowed`,
    )
  }
  for (const [name, value] of entries) {
    const size = typeof value === 'string' ? sizeProblem(value) : 'is not a text; put it in quotes'
    if (size !== undefined) return wrongValue(`spec.parameters.${name} ${size}`)
    if (declared && !declared.some((one) => one.name === name)) {
      const names = declared.map((one) => one.name).join(', ') || 'none'
      return wrongValue(
        `spec.parameters.${name} is not declared; the Orchestration declares ${names}`,
      )
    }
  }
  const values = new Map(entries)
  for (const parameter of declared ?? []) {
    const { name, required, values: permitted } = parameter
    const value = values.get(name) ?? parameter.default
    if (value === undefined && required) {
      return wrongValue(`spec.parameters.${name} is required; set it`)
    }
    if (value !== undefined && permitted && !permitted.includes(value)) {
      return wrongValue(`spec.parameters.${name} must be one of ${permitted.join(', ')}`)
    }
    values.set(name, value ?? '')
  }
  return { ok: true, parameters: Object.fromEntries(values) }
}

function sizeProblem(value: string): string | undefined {
  const bytes = Buffer.byteLength(value)
  if (bytes <= largestParameter) return undefined
  return `has ${bytes} bytes; at most ${largestParameter} are allowed`
}

function wrongValue(message: string): RunParameters {
  return { ok: false, message }
}
