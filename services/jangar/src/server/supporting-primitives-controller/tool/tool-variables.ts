/** The file to which the program of a tool writes its outputs. */
export const outputsVariable = 'TOOL_OUTPUTS'

const parameterPrefix = 'TOOL_PARAM_'

/** The environment variable that holds a parameter. */
export function parameterVariable(name: string): string {
  return parameterPrefix + name.toUpperCase().replaceAll('-', '_')
}

/** Whether the platform sets the variable itself. */
export function isReservedVariable(name: string): boolean {
  return name === outputsVariable || name.startsWith(parameterPrefix)
}

/** Names that are segments of a template's path and become a variable without loss, but for case and hyphens. */
const parameterName = /^[A-Za-z_][A-Za-z0-9_-]{0,62}$/

/** Why the parameters with these names cannot be variables of one process. */
export function parameterNamesProblem(names: readonly string[]): string | undefined {
  const owners = new Map<string, string>()
  for (const name of names) {
    if (!parameterName.test(name)) {
      return `${JSON.stringify(name)} is not a valid name of a parameter; use at most 63 letters, digits, _ and -`
    }
    const variable = parameterVariable(name)
    const owner = owners.get(variable)
    if (owner !== undefined) {
      return `the parameters ${owner} and ${name} have the same environment variable ${variable}; rename one of them`
    }
    owners.set(variable, name)
  }
  return undefined
}
