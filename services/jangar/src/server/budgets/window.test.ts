import { describe, expect, test } from 'vitest'
import { windowAt } from './window.ts'

function text(instant: string, kind: 'day' | 'month', timezone: string): string | undefined {
  const window = windowAt(Date.parse(instant), kind, timezone)
  return window && [window.start, window.end].map((at) => new Date(at).toISOString()).join(' ')
}

describe('a window', () => {
  test.each([
    {
      because: 'a day of 23 hours, when daylight saving time begins',
      at: '2026-03-29T12:00:00Z',
      is: '2026-03-28T23:00:00.000Z 2026-03-29T22:00:00.000Z',
    },
    {
      because: 'the last instant of that day',
      at: '2026-03-29T21:59:59.999Z',
      is: '2026-03-28T23:00:00.000Z 2026-03-29T22:00:00.000Z',
    },
    {
      because: 'the first instant of the day after it',
      at: '2026-03-29T22:00:00.000Z',
      is: '2026-03-29T22:00:00.000Z 2026-03-30T22:00:00.000Z',
    },
    {
      because: 'a day of 25 hours, when it ends',
      at: '2026-10-25T00:30:00Z',
      is: '2026-10-24T22:00:00.000Z 2026-10-25T23:00:00.000Z',
    },
  ])('of a day in Vienna: $because', ({ at, is }) => {
    expect(text(at, 'day', 'Europe/Vienna')).toBe(is)
  })

  test.each([
    ['2026-03-15T00:00:00Z', 'Europe/Vienna', '2026-02-28T23:00:00.000Z 2026-03-31T22:00:00.000Z'],
    ['2026-12-31T23:30:00Z', 'Europe/Vienna', '2026-12-31T23:00:00.000Z 2027-01-31T23:00:00.000Z'],
    ['2028-02-29T12:00:00Z', 'UTC', '2028-02-01T00:00:00.000Z 2028-03-01T00:00:00.000Z'],
  ])('of a month that contains %s in %s', (at, timezone, is) => {
    expect(text(at, 'month', timezone)).toBe(is)
  })

  test.each([
    ['midnight is skipped', '2026-04-24T12:00:00Z', 'Africa/Cairo', 23],
    ['midnight happens twice', '2025-11-02T12:00:00Z', 'America/Havana', 25],
    ['the offset is not whole hours', '2026-10-04T03:00:00Z', 'Australia/Lord_Howe', 23.5],
  ])('of a day on which %s', (_because, at, timezone, hours) => {
    const { start = 0, end = 0 } = windowAt(Date.parse(at), 'day', timezone) ?? {}
    expect((end - start) / 3_600_000).toBe(hours)
  })

  test('follows the one before it without a gap, for two years in every kind of zone', () => {
    for (const timezone of ['Europe/Vienna', 'Africa/Cairo', 'America/Havana', 'Asia/Kathmandu']) {
      let at = Date.parse('2026-01-01T12:00:00Z')
      for (let days = 0; days < 730; days += 1) {
        const window = windowAt(at, 'day', timezone)
        expect(windowAt((window?.end ?? 0) - 1, 'day', timezone)).toEqual(window)
        expect(windowAt(window?.end ?? 0, 'day', timezone)?.start).toBe(window?.end)
        at = window?.end ?? 0
      }
    }
  })

  test.each(['Mars/Olympus', '+01:00', ''])('of an unknown time zone: %j', (timezone) => {
    expect(windowAt(0, 'day', timezone)).toBeUndefined()
  })
})
