import type { ChartSnapshot, Finding } from './chart-snapshot.ts'
import { checkAccess } from './check-access.ts'
import { checkDefinitions } from './check-definitions.ts'
import {
  checkEnvironment,
  checkFrozenFields,
  checkPodFaces,
  checkPresence,
} from './check-objects.ts'
import { checkValues } from './check-values.ts'

/** What was decided: additions to the default render, values with a named successor, and findings that were accepted. */
export interface Decisions {
  readonly additions: readonly string[]
  readonly removedValues: readonly string[]
  readonly accepted: readonly { readonly rule: string; readonly subject: string }[]
}

/** chart-compat: everything that the newer chart does to those who come from the older one, or go back to it. */
export function compareCharts(
  before: ChartSnapshot,
  after: ChartSnapshot,
  decisions: Decisions,
): readonly Finding[] {
  const findings = [
    ...checkPresence(before, after, decisions.additions),
    ...checkFrozenFields(before, after),
    ...checkPodFaces(before, after),
    ...checkEnvironment(before, after),
    ...checkAccess(before, after),
    ...checkDefinitions(before, after),
    ...checkValues(before, after, decisions.removedValues),
  ]
  return findings.filter(
    ({ rule, subject }) =>
      !decisions.accepted.some((entry) => entry.rule === rule && entry.subject === subject),
  )
}
