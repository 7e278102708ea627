import type { AnyRun, RunSummary } from '../../api/run-summary.ts'

/** Why a run is in its state: its conditions in the order in which they changed, and what it waits for. */
export function explanation({ run, resource }: { run: RunSummary; resource: AnyRun }): unknown {
  const conditions = (resource.status?.conditions ?? [])
    .toSorted((a, b) => timeOf(a).localeCompare(timeOf(b)))
    .map(({ type, status, reason, message, lastTransitionTime }) => ({
      ...{ at: lastTransitionTime, type, status, reason, message },
    }))
  const open = conditions.filter(({ status }) => status !== 'True')
  return { run, conditions, notTrue: open.map(({ type, message }) => `${type}: ${message}`) }
}

function timeOf({ lastTransitionTime = '' }: { readonly lastTransitionTime?: string }): string {
  return lastTransitionTime
}
