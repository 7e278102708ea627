import { expect, test } from 'vitest'
import { ChangeRate } from './change-rate.ts'

test('counts the changes of the last second', () => {
  const rate = new ChangeRate()
  for (let at = 0; at < 1000; at += 10) rate.count(new Date(at))
  expect(rate.perSecond(new Date(999))).toBe(100)
  expect(rate.perSecond(new Date(1500))).toBe(50)
  expect(rate.perSecond(new Date(2000))).toBe(0)
})

test('forgets the changes before a pause, and before the clock was set back', () => {
  const rate = new ChangeRate()
  for (let at = 0; at < 1000; at += 10) rate.count(new Date(at))
  expect(rate.perSecond(new Date(7000))).toBe(0)
  for (let at = 7000; at < 8000; at += 10) rate.count(new Date(at))
  expect(rate.perSecond(new Date(3000))).toBe(0)
})
