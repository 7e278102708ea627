import { refused } from './problem.ts'
import type { Refused } from './resolution.ts'

export const MOST_PARAMETERS = 100
/** In bytes of UTF-8. */
export const LARGEST_PARAMETER = 2048

/** The schema cannot count bytes, nor those of run and step together. */
export function parametersProblem(
  parameters: Readonly<Record<string, unknown>>,
): Refused | undefined {
  const entries = Object.entries(parameters)
  if (entries.length > MOST_PARAMETERS) {
    return refused(
      'InvalidParameters',
      `there are ${entries.length} parameters, and at most ${MOST_PARAMETERS} are allowed`,
    )
  }
  for (const [name, value] of entries) {
    if (typeof value !== 'string') {
      return refused('InvalidParameters', `the parameter ${name} is not text; put it in quotes`)
    }
    const bytes = Buffer.byteLength(value)
    if (bytes <= LARGEST_PARAMETER) continue
    return refused(
      'InvalidParameters',
      `the parameter ${name} has ${bytes} bytes, and at most ${LARGEST_PARAMETER} are allowed; put long text into the implementation`,
    )
  }
  return undefined
}
