import { describe, expect, test } from 'vitest'
import { exponentialLimiter } from './rate-limiter.ts'

function waits(limiter: { when(key: string): number }, times: number) {
  return Array.from({ length: times }, () => limiter.when('a'))
}

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

  test('starts over after forget', () => {
    const limiter = exponentialLimiter({ base: 1 })
    waits(limiter, 5)
    limiter.forget('a')
    expect(limiter.failures('a')).toBe(0)
    expect(limiter.when('a')).toBe(1)
  })
})
