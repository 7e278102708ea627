/** The names that templates and expressions can use in one place of a graph. */
export interface ExpressionNames {
  /** The declared parameters; undefined: any. */
  readonly parameters: ReadonlySet<string> | undefined
  /** The steps that have ended by then, with the names of their outputs; undefined: only known when they ran. */
  readonly steps: ReadonlyMap<string, ReadonlySet<string> | undefined>
  /** In steps that run after all others, and in outputs of the run. */
  readonly hasRunOutcome: boolean
  /** In the steps of a loop. */
  readonly hasItem: boolean
  /** In `match`. */
  readonly hasPayload: boolean
}

/** Why a path has no value, as far as that is known before the run. */
export function pathProblem(path: readonly string[], names: ExpressionNames): string | undefined {
  const [root = '', name, field, output] = path
  switch (root) {
    case 'parameters':
      return parameterProblem(path, names)
    case 'steps':
      return name === undefined
        ? `${dotted(path)} lacks the name of a step`
        : stepProblem(path, { name, field, output }, names)
    case 'run':
      return runProblem(path, names)
    case 'item':
      return names.hasItem ? undefined : 'item exists only in a step with forEach'
    case 'payload':
      return names.hasPayload ? undefined : 'payload exists only in match'
    default:
      return `${dotted(path)} does not exist; use ${rootsOf(names).join(', ')}`
  }
}

function parameterProblem(path: readonly string[], names: ExpressionNames): string | undefined {
  const [, name] = path
  if (name === undefined) return 'parameters lacks the name of a parameter'
  if (path.length > 2) return `${dotted(path)} does not exist: a parameter is a text`
  if (names.parameters === undefined || names.parameters.has(name)) return undefined
  return `${dotted(path)} does not exist: spec.parameters declares ${listed(names.parameters)}`
}

interface StepPath {
  readonly name: string
  readonly field: string | undefined
  readonly output: string | undefined
}

function stepProblem(
  path: readonly string[],
  { name, field, output }: StepPath,
  names: ExpressionNames,
): string | undefined {
  if (!names.steps.has(name)) {
    return `${dotted(path)} does not exist: ${name} is not a step that has ended by then (${listed(names.steps.keys())}); add it to dependsOn`
  }
  if (field === 'outcome') {
    return path.length === 3 ? undefined : `${dotted(path)} does not exist: an outcome is a text`
  }
  if (field !== 'outputs') return `${dotted(path)} does not exist: a step has outputs and outcome`
  const outputs = names.steps.get(name)
  if (output === undefined || outputs === undefined || outputs.has(output)) return undefined
  return `${dotted(path)} does not exist: the outputs of ${name} are ${listed(outputs)}`
}

function runProblem(path: readonly string[], names: ExpressionNames): string | undefined {
  const fields = ['name', 'namespace', ...(names.hasRunOutcome ? ['outcome'] : [])]
  if (path.length === 2 && fields.includes(path[1] ?? '')) return undefined
  const hint =
    path[1] === 'outcome' ? '; only steps with finally and outputs can use run.outcome' : ''
  return `${dotted(path)} does not exist: run has ${fields.join(', ')}${hint}`
}

function rootsOf({ hasItem, hasPayload }: ExpressionNames): string[] {
  return [
    'parameters',
    'steps',
    'run',
    ...(hasItem ? ['item'] : []),
    ...(hasPayload ? ['payload'] : []),
  ]
}

const mostListed = 12

function listed(names: Iterable<string>): string {
  const all = [...names].toSorted()
  if (all.length === 0) return 'none'
  const rest = all.length > mostListed ? ` and ${all.length - mostListed} more` : ''
  return `${all.slice(0, mostListed).join(', ')}${rest}`
}

function dotted(path: readonly string[]): string {
  return path.join('.')
}
