import { optional, string, timestamp } from '@agents/crd'
import type { PhaseTable } from '@agents/status'

/** `status.phase`, described by the table that it is read from. */
export function phaseField(table: PhaseTable<string>) {
  const phases = [...new Set(table.rows.map(({ phase }) => phase))]
  const last = phases.pop()
  return optional(
    string(
      `Where it stands: ${phases.join(', ')} or ${last}. Follows from the conditions, for people; automation reads those.`,
    ),
  )
}

export const runTimes = {
  startedAt: optional(timestamp('When the work first began. Never changes once set.')),
  finishedAt: optional(
    timestamp('When the outcome was known, whatever it was. Never changes once set.'),
  ),
}

export const attemptTimes = {
  startedAt: optional(timestamp('When this attempt began.')),
  finishedAt: optional(timestamp('When this attempt ended.')),
}
