import { optional, string, timestamp } from '@agents/crd'
import type { PhaseTable } from '@agents/status'

/** `status.phase`, described by the table that it is derived from. */
export function phaseField(table: PhaseTable<string>) {
  const phases = [...new Set(table.rows.map(({ phase }) => phase))]
  const last = phases.pop()
  return optional(
    string(
      `Summary of the conditions for display: ${phases.join(', ')} or ${last}. Automation should read the conditions.`,
    ),
  )
}

export const runTimes = {
  startedAt: optional(timestamp('When the run first started. Never changes once set.')),
  finishedAt: optional(timestamp('When the run finished. Never changes once set.')),
}

export const attemptTimes = {
  startedAt: optional(timestamp('When the attempt started.')),
  finishedAt: optional(timestamp('When the attempt finished.')),
}
