import type { ChartSnapshot, Finding } from './chart-snapshot.ts'
import { checkAccess } from './check-access.ts'
import { checkDefinitions } from './check-definitions.ts'
import {
  checkEnvironment,
  checkFrozenFields,
  checkPodFaces,
  checkPresence,
} from './check-objects.ts'
import { checkDefaults, checkValues } from './check-values.ts'

/** What was decided: additions to the default render, values with a named successor, and findings that were accepted. */
export interface Decisions {
  readonly additions: readonly string[]
  readonly removedValues: readonly string[]
  readonly accepted: readonly AcceptedChange[]
}

/** An entry of ci/accepted-changes.yaml. */
export interface AcceptedChange {
  readonly rule: string
  readonly subject: string
  readonly reason?: string
  readonly since?: string
  /** The line of CHANGELOG.md that tells people. */
  readonly changelog?: string
}

/** chart-compat: everything that the newer chart does to those who come from the older one, or go back to it. */
export function compareCharts(
  before: ChartSnapshot,
  after: ChartSnapshot,
  decisions: Decisions,
): readonly Finding[] {
  return allFindings(before, after, decisions).filter(
    ({ rule, subject }) =>
      !decisions.accepted.some((entry) => entry.rule === rule && entry.subject === subject),
  )
}

/** Also what was accepted. */
export function allFindings(
  before: ChartSnapshot,
  after: ChartSnapshot,
  decisions: Omit<Decisions, 'accepted'>,
): readonly Finding[] {
  return [
    ...checkPresence(before, after, decisions.additions),
    ...checkFrozenFields(before, after),
    ...checkPodFaces(before, after),
    ...checkEnvironment(before, after),
    ...checkAccess(before, after),
    ...checkDefinitions(before, after),
    ...checkValues(before, after, decisions.removedValues),
    ...checkDefaults(before, after),
  ]
}
