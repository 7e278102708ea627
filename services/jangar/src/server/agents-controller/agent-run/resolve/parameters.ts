import { refused } from './problem.ts'
import type { Refused } from './resolution.ts'

const mostParameters = 100
/** In bytes of UTF-8. */
const largestParameter = 2048

/** Checks what the schema cannot: sizes in bytes, and the parameters of a run and its step together. */
export function parametersProblem(
  parameters: Readonly<Record<string, unknown>>,
): Refused | undefined {
  const entries = Object.entries(parameters)
  if (entries.length > mostParameters) {
    return refused(
      'InvalidParameters',
      `the run has ${entries.length} parameters; at most ${mostParameters} are allowed`,
    )
  }
  for (const [name, value] of entries) {
    if (typeof value !== 'string') {
      return refused('InvalidParameters', `the parameter ${name} is not a string; put it in quotes`)
    }
    const bytes = Buffer.byteLength(value)
    if (bytes <= largestParameter) continue
    return refused(
      'InvalidParameters',
      `the parameter ${name} has ${bytes} bytes; at most ${largestParameter} are allowed; put long text into the implementation`,
    )
  }
  return undefined
}
