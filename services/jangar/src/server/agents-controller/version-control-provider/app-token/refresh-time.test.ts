import { describe, expect, test } from 'vitest'
import { refreshTime } from './refresh-time.ts'

describe('when to replace a token', () => {
  test.each([
    {
      because: 'five minutes before it expires, for a lifetime of an hour',
      lifeSeconds: 3600,
      atSeconds: 3300,
    },
    { because: 'a tenth of its lifetime before it expires', lifeSeconds: 1000, atSeconds: 900 },
    {
      because: 'half a minute before it expires, for a short lifetime',
      lifeSeconds: 120,
      atSeconds: 90,
    },
    { because: 'half a minute from now at the earliest', lifeSeconds: 40, atSeconds: 30 },
    {
      because: 'half a minute from now, even if it has already expired',
      lifeSeconds: -9000,
      atSeconds: 30,
    },
  ])('$because', ({ lifeSeconds, atSeconds }) => {
    const issuedAt = new Date('2026-01-01T00:00:00Z')
    const later = (seconds: number) => new Date(issuedAt.getTime() + seconds * 1000)
    expect(refreshTime(issuedAt, later(lifeSeconds))).toEqual(later(atSeconds))
  })
})
