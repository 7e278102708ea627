import type { Problem } from '../expressions/problem.ts'

/** What is wrong with a field of a step. */
export interface Wrong {
  readonly reason: Problem['reason']
  readonly field: string
  readonly message: string
}

export function invalid(field: string, message: string): Wrong {
  return { reason: 'StepInvalid', field, message }
}

export function incomplete(field: string, message: string): Wrong {
  return { reason: 'StepIncomplete', field, message }
}
