import type { orchestrationConditions } from '@agents/jangar-api'
import type { ReasonOf } from '@agents/status'

/** The reasons for which a graph is invalid. A run that meets the problem has the same reason. */
type ProblemReason = Exclude<ReasonOf<typeof orchestrationConditions, 'Validated'>, 'Valid'>

/** What is wrong with a graph, or with the values that its templates and expressions meet. */
export interface Problem {
  readonly reason: ProblemReason
  /** Path of the field, such as `spec.steps[2].when`; for a value that is evaluated, what the caller calls it. */
  readonly path: string
  /** What is wrong and what to do, without the path. Shows no values of parameters and outputs. */
  readonly message: string
}
