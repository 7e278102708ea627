import type { ChartSnapshot, Finding } from './chart-snapshot.ts'
import { checkAccess } from './check-access.ts'
import { checkDefinitions } from './check-definitions.ts'
import {
  checkEnvironment,
  checkFrozenFields,
  checkPodInterfaces,
  checkPresence,
} from './check-objects.ts'
import { checkDefaults, checkValues } from './check-values.ts'

/**
 * Accepted deviations: additions to the default render, values with a named successor, and accepted findings.
 */
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
  /** The line of CHANGELOG.md that announces the change. */
  readonly changelog?: string
}

/** Returns everything in the newer chart that can break an upgrade from the older one, or a rollback to it. */
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

/** Like `compareCharts`, including accepted findings. */
export function allFindings(
  before: ChartSnapshot,
  after: ChartSnapshot,
  decisions: Omit<Decisions, 'accepted'>,
): readonly Finding[] {
  return [
    ...checkPresence(before, after, decisions.additions),
    ...checkFrozenFields(before, after),
    ...checkPodInterfaces(before, after),
    ...checkEnvironment(before, after),
    ...checkAccess(before, after),
    ...checkDefinitions(before, after),
    ...checkValues(before, after, decisions.removedValues),
    ...checkDefaults(before, after),
  ]
}
