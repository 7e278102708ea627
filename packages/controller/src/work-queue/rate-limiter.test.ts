import { describe, expect, test } from 'vitest'
import { ManualClock } from '../clock/manual-clock.ts'
import { atMost, bucketLimiter, slowestOf } from './combined-limiter.ts'
import { exponentialLimiter, fastSlowLimiter } from './rate-limiter.ts'

const waits = (limiter: { when(key: string): number }, times: number) =>
  Array.from({ length: times }, () => limiter.when('a'))

describe('the exponential limiter', () => {
  test('starts at 5 ms and doubles per key', () => {
    const limiter = exponentialLimiter()
    expect(waits(limiter, 4)).toEqual([5, 10, 20, 40])
    expect(limiter.when('b')).toBe(5)
    expect(limiter.failures('a')).toBe(4)
  })

  test('never waits longer than 1000 s, however often it failed', () => {
    const limiter = exponentialLimiter()
    expect(waits(limiter, 2000).at(-1)).toBe(1_000_000)
  })

  test('starts again after forget', () => {
    const limiter = exponentialLimiter({ base: 1 })
    waits(limiter, 5)
    limiter.forget('a')
    expect(limiter.failures('a')).toBe(0)
    expect(limiter.when('a')).toBe(1)
  })
})

test('the fast-slow limiter is fast for some tries only', () => {
  const limiter = fastSlowLimiter(5, 1000, 2)
  expect(waits(limiter, 4)).toEqual([5, 5, 1000, 1000])
  limiter.forget('a')
  expect(limiter.when('a')).toBe(5)
})

test('the bucket lets a burst through and then keeps its rate for all keys together', async () => {
  const clock = new ManualClock()
  const limiter = bucketLimiter(clock, 10, 3)
  expect([...waits(limiter, 3), limiter.when('b'), limiter.when('c')]).toEqual([0, 0, 0, 100, 200])
  await clock.advance(1000)
  expect(limiter.when('a')).toBe(0)
})

test('limiters combine', () => {
  const limiter = atMost(slowestOf(exponentialLimiter(), fastSlowLimiter(15, 100, 3)), 80)
  expect(waits(limiter, 5)).toEqual([15, 15, 20, 80, 80])
  expect(limiter.failures('a')).toBe(5)
  limiter.forget('a')
  expect(limiter.when('a')).toBe(15)
})
