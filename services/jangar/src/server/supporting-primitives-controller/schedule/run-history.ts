import type { Schedule } from '@agents/jangar-api'
import { isFinished } from '@agents/status'
import type { ScheduledRun } from './run-kinds.ts'
import { scheduledAtAnnotation } from './scheduled-run.ts'

/** The runs of a schedule that have not ended. */
export function activeRuns(runs: readonly ScheduledRun[]): ScheduledRun[] {
  return runs.filter(({ status }) => !isFinished(status?.conditions))
}

/**
 * The finished runs beyond the limits of the schedule, oldest first. A run whose time the status does not show as
 * handled yet is kept: its name is what prevents a second one.
 */
export function runsToDelete(schedule: Schedule, runs: readonly ScheduledRun[]): ScheduledRun[] {
  const { successfulRunsHistoryLimit = 3, failedRunsHistoryLimit = 1 } = schedule.spec
  const handled = schedule.status?.lastScheduleTime ?? ''
  const ended = runs
    .filter(({ metadata, status }) => !metadata.deletionTimestamp && isFinished(status?.conditions))
    .filter((run) => Date.parse(timeOf(run)) <= Date.parse(handled))
    .toSorted((a, b) => Date.parse(timeOf(a)) - Date.parse(timeOf(b)))
  const { good = [], bad = [] } = Object.groupBy(ended, ({ status }) =>
    status?.phase === 'Succeeded' ? 'good' : 'bad',
  )
  return [
    ...good.slice(0, Math.max(0, good.length - successfulRunsHistoryLimit)),
    ...bad.slice(0, Math.max(0, bad.length - failedRunsHistoryLimit)),
  ]
}

function timeOf({ metadata }: ScheduledRun): string {
  return metadata.annotations?.[scheduledAtAnnotation] ?? metadata.creationTimestamp ?? ''
}
