import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  longestGrowthSeconds,
  longestRetryAfterSeconds,
  retryDelaySeconds,
  shortestRateLimitSeconds,
} from './retry-delay.ts'

const error = { attempt: 1, retryBackoffSeconds: 5, failure: 'Error', seed: 'a' } as const
const limited = { ...error, failure: 'RateLimited' } as const

describe('the wait before a retry', () => {
  test.each([
    { because: 'it is the backoff', of: error, seconds: 5 },
    { because: 'none is configured', of: { ...error, retryBackoffSeconds: 0 }, seconds: 0 },
    { because: 'it doubles', of: { ...error, attempt: 3 }, seconds: 20 },
    { because: 'it stops growing', of: { ...error, attempt: 2 ** 31 - 1 }, seconds: 3600 },
    {
      because: 'a longer backoff is kept',
      of: { ...error, retryBackoffSeconds: 2 ** 31 - 1, attempt: 9 },
      seconds: 2 ** 31 - 1,
    },
    {
      because: 'a model that refuses requests is not asked again at once',
      of: { ...limited, retryBackoffSeconds: 0, retryAfterSeconds: 0 },
      seconds: shortestRateLimitSeconds,
    },
    {
      because: 'the model asked for it',
      of: { ...limited, retryAfterSeconds: 70 },
      seconds: 70,
    },
    {
      because: 'the backoff is longer than what the model asked for',
      of: { ...limited, attempt: 5, retryAfterSeconds: 70 },
      seconds: 160,
    },
    {
      because: 'a program cannot keep its run waiting for ever',
      of: { ...limited, retryAfterSeconds: Number.MAX_SAFE_INTEGER },
      seconds: longestRetryAfterSeconds,
    },
    {
      because: 'a program can ask for time only after a rate limit',
      of: { ...error, retryAfterSeconds: 1000 },
      seconds: 5,
    },
  ])('is $seconds s and up to a quarter more: $because', ({ of, seconds }) => {
    const delay = retryDelaySeconds(of)
    expect(delay).toBeGreaterThanOrEqual(seconds)
    expect(delay).toBeLessThanOrEqual(seconds * 1.25)
  })

  test('differs between attempts of different runs, and is always the same for one', () => {
    const delays = Array.from({ length: 100 }, (_, seed) =>
      retryDelaySeconds({ ...error, seed: `${seed}` }),
    )
    expect(new Set(delays).size).toBe(100)
    expect(Math.max(...delays) - Math.min(...delays)).toBeGreaterThan(1)
    expect(retryDelaySeconds(error)).toBe(retryDelaySeconds(error))
  })

  test('is never shorter than the backoff, nor longer than the limits allow', () => {
    const whole = fc.nat(2 ** 31 - 1)
    const attempt = whole.map((value) => value + 1)
    const failure = fc.constantFrom('Error', 'RateLimited', 'Evicted')
    const retryAfterSeconds = fc.nat(Number.MAX_SAFE_INTEGER)
    const seed = fc.string()
    const failed = { attempt, retryBackoffSeconds: whole, failure, retryAfterSeconds, seed }
    fc.assert(
      fc.property(fc.record(failed), (of) => {
        const { retryBackoffSeconds: base } = of
        const delay = retryDelaySeconds(of)
        expect(delay).toBeGreaterThanOrEqual(base)
        expect(delay).toBeLessThanOrEqual(Math.max(base, longestGrowthSeconds) * 1.25)
      }),
    )
  })
})
