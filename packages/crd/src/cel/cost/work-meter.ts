import { checkWorkLimit } from '../../work-limit.ts'
import { CostExceeded } from './cost-exceeded.ts'

/**
 * The maximum number of steps of one evaluation. It bounds work that the cost units of Kubernetes do not: comparing two
 * objects of any size costs one unit. An evaluation is synchronous, so one meter is enough; it is reset for each
 * expression.
 */
const maxSteps = 500_000

/** The number of steps between two checks of the clock, which take longer than a step. */
const stepsPerCheck = 1000

let unchecked = 0
let left = Number.POSITIVE_INFINITY

/** Runs an evaluation with its own limit. The limit of an outer evaluation is restored afterwards. */
export function metered<Result>(evaluate: () => Result): Result {
  const before = left
  left = maxSteps
  try {
    return evaluate()
  } finally {
    left = before
  }
}

/** Counts steps against the limit and throws if it is exceeded. Visiting one value is one step. */
export function work(steps: number): void {
  left -= steps
  if (left < 0) throw new CostExceeded()
  unchecked += steps
  if (unchecked < stepsPerCheck) return
  unchecked = 0
  checkWorkLimit()
}
