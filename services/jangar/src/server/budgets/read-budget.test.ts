import type { Budget } from '@agents/jangar-api'
import { describe, expect, test } from 'vitest'
import { formatAmount } from './amounts.ts'
import { readBudget } from './read-budget.ts'

function termsOf(spec: object) {
  return readBudget({ metadata: { name: 'b', namespace: 'team' }, spec } as unknown as Budget)
}

const limits = { tokens: '1' }

describe('a Budget is invalid', () => {
  test.each([
    ['NoLimits', {}, /^spec\.limits is empty/],
    ['InvalidLimit', { limits: { tokens: '-1' } }, /^spec\.limits\.tokens: "-1" is not a whole/],
    ['InvalidLimit', { limits: { tokens: '1.5' } }, /^spec\.limits\.tokens/],
    ['InvalidLimit', { limits: { tokens: '1e400' } }, /^spec\.limits\.tokens/],
    ['InvalidLimit', { limits: { dollars: '-0.01' } }, /^spec\.limits\.dollars/],
    ['InvalidLimit', { limits: { dollars: '$5' } }, /^spec\.limits\.dollars/],
    ['InvalidLimit', { limits: { cpu: '2 cores' } }, /^spec\.limits\.cpu/],
    ['InvalidLimit', { limits: { memory: '-1Gi' } }, /^spec\.limits\.memory/],
    ['InvalidLimit', { limits: { gpu: '' } }, /^spec\.limits\.gpu/],
    ['InvalidLimit', { limits: { requests: '5' } }, /^spec\.limits\.requests: is not a resource/],
    ['UnknownTimezone', { limits, timezone: 'Europe/Atlantis' }, /^spec\.timezone: "Europe\/Atl/],
    [
      'InvalidReservation',
      { limits, reservation: { tokens: 'many' } },
      /^spec\.reservation\.tokens/,
    ],
    ['InvalidReservation', { limits, reservation: { cpu: '1' } }, /^spec\.reservation\.cpu/],
    ['InvalidAlert', { limits, alerts: [50, 101] }, /^spec\.alerts\[1\]: 101/],
    [
      'InvalidScope',
      { limits, scope: { labelSelector: { matchLabels: { 'a b': 'c' } } } },
      /^spec\.scope\.labelSelector\.matchLabels: "a b"/,
    ],
    [
      'InvalidScope',
      { limits, scope: { labelSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } } },
      /matchExpressions\[0\]\.values: In needs values/,
    ],
  ])('%s: %j', (reason, spec, message) => {
    const { problem } = termsOf(spec)
    expect(problem).toMatchObject({ reason, message: expect.stringMatching(message) })
  })
})

test('amounts are exact', () => {
  const { limits: read, problem } = termsOf({
    limits: { tokens: '1000000', dollars: '25.10', cpu: '1500m', memory: '16Gi', gpu: '2' },
  })
  expect(problem).toBeUndefined()
  expect(read).toEqual({
    tokens: 1_000_000,
    dollars: 25_100_000,
    cpu: 1500,
    memory: 16 * 1024 ** 3 * 1000,
    gpu: 2000,
  })
  const texts = Object.entries(read).map(([name, amount]) =>
    formatAmount(name as 'cpu', amount ?? 0),
  )
  expect(texts).toEqual(['1000000', '25.10', '1500m', '16Gi', '2'])
  expect(formatAmount('dollars', 1)).toBe('0.000001')
  expect(formatAmount('dollars', 0)).toBe('0.00')
})
