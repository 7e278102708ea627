import type { Schedule } from '@agents/jangar-api'
import { rfc3339 } from '@agents/status'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Calendar, parseCalendar } from './calendar.ts'
import { planSchedule } from './plan-schedule.ts'

const created = '2026-03-01T00:30:00Z'

function scheduleOf(
  spec: Partial<Schedule['spec']> = {},
  status?: Partial<NonNullable<Schedule['status']>>,
): Schedule {
  return {
    metadata: { name: 's', uid: 'u', generation: 1, creationTimestamp: created },
    spec: { cron: '0 * * * *', suspend: false, concurrencyPolicy: 'Forbid', ...spec },
    ...(status && { status: { observedGeneration: 1, ...status } }),
  } as Schedule
}

function plan(schedule: Schedule, now: string, active = 0) {
  const parsed = parseCalendar(schedule.spec.cron)
  if (!parsed.ok) throw new Error(parsed.message)
  const { start, handled, next, missed } = planSchedule({
    schedule,
    calendar: parsed.calendar,
    now: new Date(now),
    active,
  })
  const text = (date: Date | undefined) => date && rfc3339(date)
  return { start: text(start), handled: text(handled), next: text(next), missed }
}

const upTo = { activeSince: created, lastScheduleTime: '2026-03-01T03:00:00Z' }

describe('a schedule', () => {
  test.each([
    {
      because: 'that is new starts nothing before its first time',
      schedule: scheduleOf(),
      now: '2026-03-01T00:59:59Z',
      expected: { missed: 0, next: '2026-03-01T01:00:00Z' },
    },
    {
      because: 'starts a run when it is due',
      schedule: scheduleOf({}, upTo),
      now: '2026-03-01T04:00:00Z',
      expected: {
        start: '2026-03-01T04:00:00Z',
        handled: '2026-03-01T04:00:00Z',
        missed: 0,
        next: '2026-03-01T05:00:00Z',
      },
    },
    {
      because: 'starts it once',
      schedule: scheduleOf({}, { ...upTo, lastScheduleTime: '2026-03-01T04:00:00Z' }),
      now: '2026-03-01T04:00:01Z',
      expected: { missed: 0, next: '2026-03-01T05:00:00Z' },
    },
    {
      because: 'starts only the latest of the missed runs, and counts the others',
      schedule: scheduleOf({}, upTo),
      now: '2026-03-01T07:20:00Z',
      expected: {
        start: '2026-03-01T07:00:00Z',
        handled: '2026-03-01T07:00:00Z',
        missed: 3,
        next: '2026-03-01T08:00:00Z',
      },
    },
    {
      because: 'does not start a run after its deadline',
      schedule: scheduleOf({ startingDeadlineSeconds: 600 }, upTo),
      now: '2026-03-01T04:10:01Z',
      expected: { handled: '2026-03-01T04:00:00Z', missed: 1, next: '2026-03-01T05:00:00Z' },
    },
    {
      because: 'starts a run at its deadline',
      schedule: scheduleOf({ startingDeadlineSeconds: 600 }, upTo),
      now: '2026-03-01T04:10:00Z',
      expected: {
        start: '2026-03-01T04:00:00Z',
        handled: '2026-03-01T04:00:00Z',
        missed: 0,
        next: '2026-03-01T05:00:00Z',
      },
    },
    {
      because: 'skips a run while another one is active',
      schedule: scheduleOf({}, upTo),
      now: '2026-03-01T04:00:00Z',
      active: 1,
      expected: { handled: '2026-03-01T04:00:00Z', missed: 1, next: '2026-03-01T05:00:00Z' },
    },
    {
      because: 'starts a run beside others if it may',
      schedule: scheduleOf({ concurrencyPolicy: 'Allow' }, upTo),
      now: '2026-03-01T04:00:00Z',
      active: 7,
      expected: {
        start: '2026-03-01T04:00:00Z',
        handled: '2026-03-01T04:00:00Z',
        missed: 0,
        next: '2026-03-01T05:00:00Z',
      },
    },
    {
      because: 'does not catch up with what was due before its spec changed',
      schedule: scheduleOf({}, { ...upTo, observedGeneration: 0 }),
      now: '2026-03-01T07:20:00Z',
      expected: { missed: 0, next: '2026-03-01T08:00:00Z' },
    },
    {
      because: 'continues at the right time after a clock that was a day ahead',
      schedule: scheduleOf({}, { ...upTo, lastScheduleTime: '2026-03-02T03:00:00Z' }),
      now: '2026-03-01T03:59:00Z',
      expected: { handled: '2026-03-01T03:00:00Z', missed: 0, next: '2026-03-01T04:00:00Z' },
    },
    {
      because: 'does not start a run again if the clock of the last leader was seconds ahead',
      schedule: scheduleOf({}, { ...upTo, lastScheduleTime: '2026-03-01T04:00:00Z' }),
      now: '2026-03-01T03:59:30Z',
      expected: { missed: 0, next: '2026-03-01T04:00:00Z' },
    },
    {
      because: 'that was changed while the clock was ahead is active now',
      schedule: scheduleOf({}, { activeSince: '2026-03-02T03:30:00Z' }),
      now: '2026-03-01T03:59:00Z',
      expected: { missed: 0, next: '2026-03-01T04:00:00Z' },
    },
    {
      because: 'that never matches starts nothing',
      schedule: scheduleOf({ cron: '0 0 31 2 *' }, upTo),
      now: '2026-03-01T04:00:00Z',
      expected: { missed: 0 },
    },
  ])('$because', ({ schedule, now, active, expected }) => {
    const found = Object.entries(plan(schedule, now, active)).filter(([, of]) => of !== undefined)
    expect(Object.fromEntries(found)).toEqual(expected)
  })
})

describe('the jitter', () => {
  test('delays each run by a fixed amount that ends before the next run', () => {
    const spec = { cron: '* * * * *', jitterSeconds: 3600 }
    const starts = ['a', 'b', 'c', 'd', 'e'].map((uid) => {
      const schedule = scheduleOf(spec, { ...upTo, lastScheduleTime: '2026-03-01T03:59:00Z' })
      const one = { ...schedule, metadata: { ...schedule.metadata, uid } }
      const { next } = plan(one, '2026-03-01T03:59:30Z')
      const { start, next: announced } = plan(one, '2026-03-01T04:00:00Z')
      expect(start ?? announced).toBe(next)
      expect(plan(one, next ?? '')).toMatchObject({ start: '2026-03-01T04:00:00Z' })
      expect(next && next >= '2026-03-01T04:00:00Z' && next < '2026-03-01T04:01:00Z').toBe(true)
      return next
    })
    expect(new Set(starts).size).toBeGreaterThan(1)
  })
})

/** Reconciles at random moments, as after restarts and lost status writes, with a clock that is sometimes wrong. */
describe('whatever happens', () => {
  const halfHour = 1_800_000
  const halfHours: Calendar = {
    next: (after) => new Date((Math.floor(after.getTime() / halfHour) + 1) * halfHour),
    latest: (now) => new Date(Math.floor(now.getTime() / halfHour) * halfHour),
  }
  const event = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({ is: fc.constant('pass'), ms: fc.integer({ min: 1, max: 7_200_000 }) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        is: fc.constant('jump'),
        ms: fc.integer({ min: -90_000_000, max: 90_000_000 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ is: fc.constant('lose write'), ms: fc.constant(1) }) },
  )

  test('after the clock has jumped, each later time is started once', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -90_000_000, max: 90_000_000 }), { minLength: 1, maxLength: 4 }),
        (jumps) => {
          let now = Date.parse(created)
          let status: NonNullable<Schedule['status']> | undefined
          const reconcile = () => {
            const schedule = scheduleOf({}, status)
            const at = new Date(now)
            const decided = planSchedule({ schedule, calendar: halfHours, now: at, active: 0 })
            const handled = decided.handled ? rfc3339(decided.handled) : status?.lastScheduleTime
            status = {
              observedGeneration: 1,
              activeSince: rfc3339(decided.activeSince),
              ...(handled !== undefined && { lastScheduleTime: handled }),
            } as NonNullable<Schedule['status']>
            return decided.start?.getTime()
          }
          reconcile()
          for (const jump of jumps) {
            now += jump
            reconcile()
            // A small difference between clocks is not a jump.
            const isSmall = Date.parse(status?.lastScheduleTime ?? '') - now <= 60_000
            now = (Math.floor(now / halfHour) + (isSmall ? 2 : 1)) * halfHour
            reconcile()
            for (let times = 0; times < 3; times += 1) {
              now += halfHour
              expect(reconcile()).toBe(now)
              expect(reconcile()).toBe(undefined)
            }
          }
        },
      ),
      { numRuns: 2000 },
    )
  })

  test('no run is started twice, and each one that is due is started or counted', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        let now = Date.parse(created)
        let status: NonNullable<Schedule['status']> | undefined
        const started = new Set<number>()
        let starts = 0
        let missed = 0
        let hasJumped = false
        let hasLost = false
        for (const { is, ms } of events) {
          now += ms
          hasJumped ||= is === 'jump'
          hasLost ||= is === 'lose write'
          const schedule = scheduleOf({}, status)
          const decided = planSchedule({
            schedule,
            calendar: halfHours,
            now: new Date(now),
            active: 0,
          })
          // The name of a run contains its time: creating it again finds the first one.
          if (decided.start !== undefined) {
            started.add(decided.start.getTime())
            starts += 1
          }
          if (is === 'lose write') continue
          missed += decided.missed
          status = {
            observedGeneration: 1,
            activeSince: rfc3339(decided.activeSince),
            ...(status?.lastScheduleTime && { lastScheduleTime: status.lastScheduleTime }),
            ...(decided.handled && { lastScheduleTime: rfc3339(decided.handled) }),
          } as NonNullable<Schedule['status']>
        }
        if (hasJumped || hasLost || status === undefined) return
        const due = Math.floor(now / halfHour) - Math.floor(Date.parse(created) / halfHour)
        expect(started.size).toBe(starts)
        expect(started.size + missed).toBe(due)
      }),
      { numRuns: 2000 },
    )
  })
})
