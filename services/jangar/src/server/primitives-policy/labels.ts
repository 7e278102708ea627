import { firstMatch } from '@agents/patterns'
import type { PolicyProblem } from './policy-problem.ts'

/** Label keys that runs must have, and patterns of those that they may and may not have. */
interface LabelRules {
  readonly labelsRequired: readonly string[]
  readonly labelsAllowed: readonly string[]
  readonly labelsDenied: readonly string[]
}

type LabelProblem = PolicyProblem<'MissingRequiredLabels' | 'LabelBlocked' | 'LabelNotAllowed'>

/** Checks the labels of a run against those that the platform requires, allows and denies. */
export function labelProblem(
  labels: Readonly<Record<string, string>>,
  { labelsRequired, labelsDenied, labelsAllowed }: LabelRules,
): LabelProblem | undefined {
  const keys = Object.keys(labels)
  const missing = labelsRequired.filter((key) => !keys.includes(key))
  if (missing.length > 0) {
    return {
      reason: 'MissingRequiredLabels',
      message: `the platform requires the labels ${missing.join(', ')}; create the run again with them`,
    }
  }
  for (const key of keys) {
    const pattern = firstMatch(labelsDenied, key)
    if (pattern === undefined) continue
    return {
      reason: 'LabelBlocked',
      message: `the platform blocks the label ${key} (pattern ${pattern}); create the run again without it`,
    }
  }
  const alien = keys.find((key) => firstMatch(labelsAllowed, key) === undefined)
  if (labelsAllowed.length === 0 || alien === undefined) return undefined
  return {
    reason: 'LabelNotAllowed',
    message: `the platform does not allow the label ${alien}, only ${labelsAllowed.join(', ')}; create the run again without it`,
  }
}
