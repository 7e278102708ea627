import { type GateOf, pass, stall, wait } from '@agents/controller'
import type { Schedule, scheduleConditions } from '@agents/jangar-api'
import { isNotFound } from '@agents/kube'
import { rfc3339 } from '@agents/status'
import { type Calendar, parseCalendar } from '../calendar.ts'
import { planSchedule, type SchedulePlan } from '../plan-schedule.ts'
import { cancelReplaced, replacedRuns } from '../replaced-runs.ts'
import { activeRuns, runsToDelete } from '../run-history.ts'
import { runsOf, type ScheduledRun } from '../run-kinds.ts'
import type { ScheduleDetail } from '../schedule-detail.ts'
import { type DueRun, type SchedulePorts, startRun } from '../start-run.ts'

type Scheduled = GateOf<typeof scheduleConditions, 'Scheduled', Schedule, ScheduleDetail>

/** A timer does not notice that the clock of the machine was set. */
const recheckMs = 30 * 60_000
const retryMs = 60_000
/** By then the cache has what the server has. */
const staleMs = 1000

/** Starts the runs that are due, and deletes old ones. */
export function scheduled(ports: SchedulePorts): Scheduled {
  return {
    condition: 'Scheduled',
    check: async (schedule, { targetUid }, { now, signal }) => {
      const { spec } = schedule
      const runs = runsOf(ports.kinds, schedule)
      await deleteOld(ports, schedule, runs, signal)
      const running = activeRuns(schedule, runs)
      const active = running.length === 0 ? undefined : running.length
      const calendar = calendarOf(schedule)
      const plan = planSchedule({ schedule, calendar, now, active: running.length })
      const detail = { ...detailOf(schedule, plan), active }
      const activeSince = spec.suspend ? schedule.status?.activeSince : detail.activeSince
      // Also those that a process which has ended left active.
      const replaced = replacedRuns(schedule, runs, activeSince)
      const refusal = await cancelReplaced(ports.kinds, replaced, signal)
      if (spec.suspend) {
        return pass('Suspended', 'the schedule is suspended; set spec.suspend to false', {
          detail: { active, nextRunTime: undefined },
        })
      }
      if (refusal !== undefined) {
        return wait('CancelFailed', refusal, retryMs, { detail: { active, activeSince } })
      }
      if (plan.start !== undefined) {
        const dueRun = { due: plan.start, targetUid }
        const problem = await start(ports, schedule, dueRun, { now, runs, detail }, signal)
        if (problem !== undefined) return problem
      }
      if (plan.next === undefined) {
        return stall('NeverDue', `spec.cron ${spec.cron} never matches again`, { detail })
      }
      return pass('Scheduled', `the next run is due at ${rfc3339(plan.next)}`, {
        detail,
        recheckAfterMs: Math.min(recheckMs, Math.max(0, plan.next.getTime() - now.getTime())),
      })
    },
    // A new spec takes effect once it is valid and its run exists.
    blockedDetail: ({ metadata, status }) => ({
      nextRunTime: undefined,
      ...(status?.observedGeneration !== metadata.generation && { activeSince: undefined }),
    }),
  }
}

interface Current {
  readonly now: Date
  /** The runs of the schedule before the start. */
  readonly runs: readonly ScheduledRun[]
  /** What the status will show. The start is added to it. */
  readonly detail: ScheduleDetail
}

/** Starts the run that is due, and cancels those that it replaces. Returns a verdict if this did not succeed. */
async function start(
  ports: SchedulePorts,
  schedule: Schedule,
  dueRun: DueRun,
  { now, runs, detail }: Current,
  signal: AbortSignal,
): Promise<Awaited<ReturnType<Scheduled['check']>> | undefined> {
  const { active, activeSince } = detail
  const started = await startRun(ports, schedule, dueRun, signal)
  if (started.kind === 'stale') {
    return pass('Scheduled', started.message, { recheckAfterMs: staleMs })
  }
  if (started.kind === 'failed') {
    return wait('StartFailed', started.message, retryMs, { detail: { active, activeSince } })
  }
  detail.lastRunTime = rfc3339(now)
  detail.lastRunRef = started.ref
  const others = runs.filter(({ metadata }) => metadata.uid !== started.run.metadata.uid)
  detail.active = activeRuns(schedule, others).length + 1
  const replaced = replacedRuns(schedule, [...others, started.run], activeSince)
  const refusal = await cancelReplaced(ports.kinds, replaced, signal)
  return refusal === undefined ? undefined : wait('CancelFailed', refusal, retryMs, { detail })
}

/** An earlier gate has parsed it. */
function calendarOf({ spec }: Schedule): Calendar {
  const parsed = parseCalendar(spec.cron, spec.timezone)
  if (!parsed.ok) throw new TypeError(parsed.message)
  return parsed.calendar
}

function detailOf({ status }: Schedule, plan: SchedulePlan): ScheduleDetail {
  const missed = (status?.missedRuns ?? 0) + plan.missed
  return {
    activeSince: rfc3339(plan.activeSince),
    nextRunTime: plan.next && rfc3339(plan.next),
    ...(plan.handled !== undefined && { lastScheduleTime: rfc3339(plan.handled) }),
    ...(missed > 0 && { missedRuns: missed }),
  }
}

async function deleteOld(
  { client, kinds }: SchedulePorts,
  schedule: Schedule,
  runs: readonly ScheduledRun[],
  signal: AbortSignal,
): Promise<void> {
  for (const { kind, metadata } of runsToDelete(schedule, runs)) {
    const found = kinds.get(kind)
    if (found === undefined) continue
    const { namespace, name, uid } = metadata
    const preconditions = uid === undefined ? {} : { preconditions: { uid } }
    try {
      await client.delete(found.cache.kind, { namespace, name }, { ...preconditions, signal })
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }
}
