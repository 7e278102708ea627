import type { Schedule } from '@agents/jangar-api'
import { isFinished } from '@agents/status'
import { kindOf, type ScheduledRun } from './run-kinds.ts'
import { scheduledTime } from './scheduled-run.ts'

/**
 * The runs that have not ended and count for the concurrency policy: those that the schedule has started, and those of
 * its kind that users have triggered. Whoever may not create runs of that kind cannot hold it back with others.
 */
export function activeRuns(schedule: Schedule, runs: readonly ScheduledRun[]): ScheduledRun[] {
  return runs
    .filter(({ status }) => !isFinished(status?.conditions))
    .filter((run) => run.kind === kindOf(schedule) || scheduledTime(run) !== undefined)
}

/**
 * The finished runs beyond the limits of the schedule, oldest first. Runs that users have triggered are limited for
 * themselves, each kind of them, so that they do not replace the others in the history. A run whose time the status
 * does not show as handled yet is kept: its name is what prevents a second one.
 */
export function runsToDelete(schedule: Schedule, runs: readonly ScheduledRun[]): ScheduledRun[] {
  const { successfulRunsHistoryLimit = 3, failedRunsHistoryLimit = 1 } = schedule.spec
  const handled = Date.parse(schedule.status?.lastScheduleTime ?? '')
  const ended = runs
    .filter(({ metadata, status }) => !metadata.deletionTimestamp && isFinished(status?.conditions))
    .filter((run) => scheduledTime(run) === undefined || Date.parse(timeOf(run)) <= handled)
    .toSorted((a, b) => Date.parse(timeOf(a)) - Date.parse(timeOf(b)))
  const groups = Map.groupBy(ended, (run) => {
    const by = scheduledTime(run) === undefined ? `users ${run.kind}` : 'the schedule'
    return `${by} ${isGood(run)}`
  })
  return [...groups.values()].flatMap((group) => {
    const isOfGood = group[0] !== undefined && isGood(group[0])
    const limit = isOfGood ? successfulRunsHistoryLimit : failedRunsHistoryLimit
    return group.slice(0, Math.max(0, group.length - limit))
  })
}

function isGood({ status }: ScheduledRun): boolean {
  return status?.phase === 'Succeeded'
}

function timeOf(run: ScheduledRun): string {
  return scheduledTime(run) ?? run.metadata.creationTimestamp ?? ''
}
