import type { Problem, Refusal, Refused, Waiting } from './resolution.ts'

export function refused(reason: Refusal, message: string): Refused {
  return { kind: 'refused', reason, message }
}

export function waiting(reason: Waiting['reason'], message: string): Waiting {
  return { kind: 'waiting', reason, message }
}

/** The result of a lookup, or the problem that prevents it. */
export type Found<T, P extends Problem = Problem> =
  | { readonly kind: 'found'; readonly value: T }
  | P

export function found<T>(value: T): Found<T, never> {
  return { kind: 'found', value }
}

/** Runs the checks in order and returns the first problem. */
export function firstProblem(checks: Iterable<() => Problem | undefined>): Problem | undefined {
  for (const check of checks) {
    const problem = check()
    if (problem !== undefined) return problem
  }
  return undefined
}
