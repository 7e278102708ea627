import * as policy from '../../../primitives-policy/parameters.ts'
import { refused } from './problem.ts'
import type { Refused } from './resolution.ts'

/** Checks what the schema cannot: sizes in bytes, and the parameters of a run and its step together. */
export function parametersProblem(
  parameters: Readonly<Record<string, unknown>>,
): Refused | undefined {
  const advice = '; put long text into the implementation'
  const problem = policy.parametersProblem(parameters, advice)
  return problem && refused(problem.reason, problem.message)
}
