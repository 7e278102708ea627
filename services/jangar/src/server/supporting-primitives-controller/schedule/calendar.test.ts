import { describe, expect, test } from 'vitest'
import { parseCalendar } from './calendar.ts'

function calendarOf(cron: string, timezone?: string) {
  const parsed = parseCalendar(cron, timezone)
  if (!parsed.ok) throw new Error(parsed.message)
  return parsed.calendar
}

function following(cron: string, timezone: string, after: string, count: number): string[] {
  const calendar = calendarOf(cron, timezone)
  const times: string[] = []
  for (let at = calendar.next(new Date(after)); times.length < count; at = calendar.next(at)) {
    if (at === undefined) break
    times.push(at.toISOString().replace('.000Z', 'Z'))
  }
  return times
}

describe('a cron expression', () => {
  test.each([
    { cron: '*/15 9-10 * * mon-fri', times: ['2026-03-02T09:00:00Z', '2026-03-02T09:15:00Z'] },
    { cron: '@monthly', times: ['2026-03-01T00:00:00Z', '2026-04-01T00:00:00Z'] },
    { cron: '0 0 29 2 *', times: ['2028-02-29T00:00:00Z', '2032-02-29T00:00:00Z'] },
    // Either day is enough.
    { cron: '0 0 13 * 5', times: ['2026-03-06T00:00:00Z', '2026-03-13T00:00:00Z'] },
    // A list with * is *, and then the day of the week decides.
    { cron: '0 0 *,13 * 5', times: ['2026-03-06T00:00:00Z', '2026-03-13T00:00:00Z'] },
    { cron: '5/20 0 ? * *', times: ['2026-03-01T00:05:00Z', '2026-03-01T00:25:00Z'] },
    { cron: '0 0 31 2 *', times: [] },
    // A day of the month that is the first after the end of another.
    { cron: '0 17 1,12 * 1-2', times: ['2026-03-01T17:00:00Z', '2026-03-02T17:00:00Z'] },
    { cron: '0 0 * * 7', times: ['2026-03-01T00:00:00Z', '2026-03-08T00:00:00Z'] },
  ])('$cron', ({ cron, times }) => {
    expect(following(cron, 'UTC', '2026-02-28T23:59:00Z', 2)).toEqual(times)
  })

  test.each([
    { cron: '', because: 'five fields' },
    { cron: '0 0 * *', because: 'five fields' },
    { cron: '0 0 0 * * *', because: 'five fields' },
    { cron: '@every 1h', because: 'five fields' },
    { cron: 'TZ=Europe/Vienna 0 0 * * *', because: 'five fields' },
    { cron: '60 * * * *', because: '60' },
    { cron: '*/0 * * * *', because: '"*/0" is not valid as minute' },
    { cron: '0 0 L * *', because: '"L" is not valid as day of month' },
    { cron: '0 0 * * 5#2', because: '"5#2" is not valid as day of week' },
    { cron: '5-1 * * * *', because: 'invalid' },
    { cron: `0 0 ${'1,'.repeat(5000)}1 * x`, because: '"x" is not valid as day of week' },
  ])('is refused with the reason: $cron', ({ cron, because }) => {
    const parsed = parseCalendar(cron)
    expect(parsed).toMatchObject({ ok: false, reason: 'InvalidCron' })
    expect(parsed.ok ? '' : parsed.message).toContain(because)
  })

  test.each(['Europe/Wien', '+01:00', '', '../UTC'])('is refused in the zone %j', (timezone) => {
    expect(parseCalendar('@daily', timezone)).toMatchObject({ reason: 'UnknownTimezone' })
  })
})

describe('daylight saving time', () => {
  const spring = '2026-03-28T12:00:00Z'
  const autumn = '2026-10-24T12:00:00Z'

  test('a fixed time that the clock skips runs when the clock has jumped', () => {
    expect(following('30 2 * * *', 'Europe/Vienna', spring, 2)).toEqual([
      '2026-03-29T01:00:00Z',
      '2026-03-30T00:30:00Z',
    ])
  })

  test('a fixed time that the clock repeats runs once', () => {
    expect(following('30 2 * * *', 'Europe/Vienna', autumn, 2)).toEqual([
      '2026-10-25T00:30:00Z',
      '2026-10-26T01:30:00Z',
    ])
  })

  test('an interval runs in each hour that passes', () => {
    expect(following('0 * * * *', 'Europe/Vienna', '2026-10-25T00:00:00Z', 3)).toEqual([
      '2026-10-25T01:00:00Z',
      '2026-10-25T02:00:00Z',
      '2026-10-25T03:00:00Z',
    ])
  })
})

describe('the latest time', () => {
  test.each([
    { now: '2026-03-01T06:00:00.000Z', latest: '2026-03-01T06:00:00.000Z' },
    { now: '2026-03-01T06:00:00.001Z', latest: '2026-03-01T06:00:00.000Z' },
    { now: '2026-03-01T05:59:59.999Z', latest: '2026-02-28T06:00:00.000Z' },
    { now: '2026-03-02T05:59:59.000Z', latest: '2026-03-01T06:00:00.000Z' },
  ])('at $now is $latest', ({ now, latest }) => {
    expect(calendarOf('0 6 * * *').latest(new Date(now))?.toISOString()).toBe(latest)
  })
})
