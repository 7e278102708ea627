import type { PolicyProblem } from './policy-problem.ts'

const mostParameters = 100
/** In bytes of UTF-8. */
const largestParameter = 2048

/** Checks the parameters of a run as far as the schema cannot: number, types, and sizes in bytes. */
export function parametersProblem(
  parameters: Readonly<Record<string, unknown>>,
  /** Where long text can be put instead. */
  advice = '',
): PolicyProblem<'InvalidParameters'> | undefined {
  const entries = Object.entries(parameters)
  if (entries.length > mostParameters) {
    return invalid(
      `the run has ${entries.length} parameters; at most ${mostParameters} are allowed`,
    )
  }
  for (const [name, value] of entries) {
    if (typeof value !== 'string') {
      return invalid(`the parameter ${name} is not a string; put it in quotes`)
    }
    const bytes = Buffer.byteLength(value)
    if (bytes <= largestParameter) continue
    return invalid(
      `the parameter ${name} has ${bytes} bytes; at most ${largestParameter} are allowed${advice}`,
    )
  }
  return undefined
}

function invalid(message: string): PolicyProblem<'InvalidParameters'> {
  return { reason: 'InvalidParameters', message }
}
