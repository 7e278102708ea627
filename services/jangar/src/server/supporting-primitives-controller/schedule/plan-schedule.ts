import { createHash } from 'node:crypto'
import type { Schedule } from '@agents/jangar-api'
import type { Calendar } from './calendar.ts'

interface ScheduleState {
  readonly schedule: Schedule
  readonly calendar: Calendar
  readonly now: Date
  /** How many runs have not ended. */
  readonly active: number
}

/** What a schedule has to do now. */
export interface SchedulePlan {
  /** The time whose run is to be started, if one is due. */
  readonly start?: Date
  /** The last time that is done with, whether its run is started or not. */
  readonly handled?: Date
  /** Runs that were due since the last one and are not started. */
  readonly missed: number
  readonly activeSince: Date
  /** When the next run starts. Undefined if the expression never matches again. */
  readonly next: Date | undefined
}

/** More missed times than this are not counted. */
const mostCounted = 1000

export function planSchedule(state: ScheduleState): SchedulePlan {
  const { schedule, calendar, now } = state
  const activeSince = activeSinceOf(schedule, now)
  const from = startOf(schedule, activeSince, now)
  const latest = calendar.latest(now)
  if (latest !== undefined && isClockSetBack(schedule, now)) {
    return { handled: latest, missed: 0, activeSince, next: startTime(state, calendar.next(now)) }
  }
  if (latest === undefined || latest <= from) {
    return { missed: 0, activeSince, next: startTime(state, calendar.next(now)) }
  }
  const startsAt = startTime(state, latest)
  if (startsAt !== undefined && startsAt > now) return { missed: 0, activeSince, next: startsAt }
  const earlier = countBetween(calendar, from, latest)
  const next = startTime(state, calendar.next(now))
  const common = { handled: latest, activeSince, next }
  if (isTooLate(state, startsAt ?? latest) || isBlocked(state)) {
    return { ...common, missed: earlier + 1 }
  }
  return { ...common, start: latest, missed: earlier }
}

/** The current spec applies since it was first seen; that of a new schedule since its creation. */
function activeSinceOf({ metadata, status }: Schedule, now: Date): Date {
  const isNew = status?.observedGeneration === undefined
  if (!isNew && status.observedGeneration !== metadata.generation) return now
  const since = dateOf(isNew ? metadata.creationTimestamp : status.activeSince) ?? now
  return since > now ? now : since
}

/** Clocks of two leaders may differ by this. */
const skewMs = 60_000

/**
 * Whether the last time that was handled is in the future: the clock was ahead then. It goes on with the times after
 * now. Their runs that exist already are found by their names.
 */
function isClockSetBack({ status }: Schedule, now: Date): boolean {
  const handled = dateOf(status?.lastScheduleTime)
  return handled !== undefined && handled.getTime() - now.getTime() > skewMs
}

/** A time in the future is that of a clock that was a little ahead. */
function startOf({ status }: Schedule, activeSince: Date, now: Date): Date {
  const handled = dateOf(status?.lastScheduleTime)
  const latest = handled === undefined || handled < activeSince ? activeSince : handled
  return latest > now ? now : latest
}

function dateOf(timestamp: string | undefined): Date | undefined {
  return timestamp === undefined ? undefined : new Date(timestamp)
}

/** How many times lie between both. */
function countBetween(calendar: Calendar, from: Date, to: Date): number {
  let count = 0
  for (let at = calendar.next(from); at !== undefined && at < to; at = calendar.next(at)) {
    count += 1
    if (count === mostCounted) break
  }
  return count
}

function isTooLate({ schedule, now }: ScheduleState, startsAt: Date): boolean {
  const { startingDeadlineSeconds } = schedule.spec
  if (startingDeadlineSeconds === undefined) return false
  return now.getTime() - startsAt.getTime() > startingDeadlineSeconds * 1000
}

function isBlocked({ schedule, active }: ScheduleState): boolean {
  return schedule.spec.concurrencyPolicy === 'Forbid' && active > 0
}

/** A due time with its share of the jitter, which is the same whenever it is computed, and ends before the next one. */
function startTime({ schedule, calendar }: ScheduleState, due: Date | undefined): Date | undefined {
  const { jitterSeconds = 0 } = schedule.spec
  if (due === undefined || jitterSeconds === 0) return due
  const next = calendar.next(due)
  const room = next === undefined ? Number.POSITIVE_INFINITY : next.getTime() - due.getTime() - 1000
  const most = Math.min(jitterSeconds * 1000, room)
  const text = `${schedule.metadata.uid}/${due.toISOString()}`
  const share = createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32
  return new Date(due.getTime() + Math.floor((share * most) / 1000) * 1000)
}
