import { expect, test } from 'vitest'
import type { ApiError } from '../api/api-error.ts'
import { RequestRate } from './request-rate.ts'

function setUp(limits: { perSecond: number; burst: number }) {
  const state = { now: 0 }
  const clock = { now: () => new Date(0), elapsed: () => state.now, after: () => () => undefined }
  const rate = new RequestRate(clock, limits)
  const send = (user: string, times: number): (number | undefined)[] =>
    Array.from({ length: times }, () => {
      try {
        rate.count(user)
        return undefined
      } catch (error) {
        return (error as ApiError).retryAfterMs
      }
    })
  return { state, send, rate }
}

test('a user may send a burst, then so many a second, and others are not affected', () => {
  const { state, send } = setUp({ perSecond: 10, burst: 3 })
  expect(send('operator', 5)).toEqual([undefined, undefined, undefined, 100, 100])
  expect(send('reader', 3)).toEqual([undefined, undefined, undefined])
  state.now += 150
  expect(send('operator', 3)).toEqual([undefined, 50, 50])
  state.now += 3_600_000
  expect(send('operator', 4)).toEqual([undefined, undefined, undefined, 100])
})

test('users that have paused are forgotten, and those that have not keep their limit', () => {
  const { state, send } = setUp({ perSecond: 10, burst: 2 })
  for (let at = 0; at < 5_000; at += 1) {
    state.now += 1_000
    send(`user-${at}`, 1)
  }
  send('busy', 2)
  for (let at = 0; at < 2_000; at += 1) send(`other-${at}`, 2)
  expect(send('busy', 1)).toEqual([100])
})

test('a request of nobody is not counted here', () => {
  const { rate } = setUp({ perSecond: 1, burst: 1 })
  for (let at = 0; at < 5; at += 1) rate.count(undefined)
})
