import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nextStatus, settled } from './next-status.ts'

const clock = {
  stamped: ['updatedAt', 'lastReconcileTime'],
  carried: ['stream.lastEventTime'],
}
const now = new Date('2026-01-01T00:05:00.500Z')

const status = {
  observedGeneration: 3,
  updatedAt: '2026-01-01T00:00:00Z',
  lastReconcileTime: '2026-01-01T00:00:00Z',
  stream: { status: 'Live', lastEventTime: '2026-01-01T00:00:00Z' },
  conditions: [{ type: 'Ready', status: 'True', updatedAt: 'x' }],
}

describe('a status is settled', () => {
  const rows: { next: object; settled: boolean; because: string }[] = [
    { next: { ...status }, settled: true, because: 'it is the same' },
    {
      next: { ...status, updatedAt: '2026-01-01T00:01:00Z', lastReconcileTime: undefined },
      settled: true,
      because: 'stamps tell only when it was written',
    },
    {
      next: { ...status, stream: { status: 'Live', lastEventTime: '2026-01-01T00:04:00Z' } },
      settled: true,
      because: 'an event that came by is no reason of its own',
    },
    {
      next: { ...status, workerRef: undefined },
      settled: true,
      because: 'what is undefined does not reach the wire',
    },
    {
      next: Object.fromEntries(Object.entries(status).reverse()),
      settled: true,
      because: 'the order of properties means nothing',
    },
    {
      next: { ...status, observedGeneration: 3n },
      settled: true,
      because: 'a number is the same whatever carries it',
    },
    {
      next: { ...status, observedGeneration: '3' },
      settled: false,
      because: 'a text is no number',
    },
    {
      next: { ...status, observedGeneration: 4 },
      settled: false,
      because: 'a newer spec was observed',
    },
    {
      next: { ...status, stream: { status: 'Disconnected' } },
      settled: false,
      because: 'something beside the clock changed in the same block',
    },
    {
      next: { ...status, stream: undefined },
      settled: false,
      because: 'a block went away',
    },
    {
      next: { ...status, conditions: [] },
      settled: false,
      because: 'a list got shorter',
    },
    {
      next: { ...status, conditions: [{ type: 'Ready', status: 'True', updatedAt: 'y' }] },
      settled: false,
      because: 'a clock field is a path, not a name that counts everywhere',
    },
  ]
  test.each(rows)('$settled: $because', ({ next, settled: expected }) => {
    expect(settled(status, next, clock)).toBe(expected)
  })

  test.each([
    { previous: '{"a": []}', next: '{"a": {}}', because: 'an empty list is not an empty object' },
    { previous: '{}', next: '{"__proto__": {}}', because: 'what is inherited was not said' },
    { previous: '{"a": null}', next: '{}', because: 'null is something that was said' },
  ])('never: $because', ({ previous, next }) => {
    expect(settled(JSON.parse(previous), JSON.parse(next))).toBe(false)
    expect(settled(JSON.parse(next), JSON.parse(previous))).toBe(false)
  })
})

describe('the next status', () => {
  test('is none when nothing but the clock has moved', () => {
    expect(
      nextStatus(status, { ...status, updatedAt: 'never compared' }, now, clock),
    ).toBeUndefined()
  })

  test('carries every stamp, and the carried times as they are now', () => {
    const stream = { status: 'Live', lastEventTime: '2026-01-01T00:04:00Z' }
    expect(nextStatus(status, { observedGeneration: 4, stream }, now, clock)).toEqual({
      observedGeneration: 4,
      stream,
      updatedAt: '2026-01-01T00:05:00Z',
      lastReconcileTime: '2026-01-01T00:05:00Z',
    })
  })

  test('is written when there was none', () => {
    expect(nextStatus(undefined, {}, now)).toEqual({ updatedAt: '2026-01-01T00:05:00Z' })
  })

  test('once written, is settled for ever', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.date({ noInvalidDate: true }),
        (next, time) => {
          const written = nextStatus({ never: 'equal', [Math.PI]: 1 }, next, now)
          const read = JSON.parse(JSON.stringify(written)) as object
          expect(nextStatus(read, JSON.parse(JSON.stringify(next)) as object, time)).toBeUndefined()
        },
      ),
    )
  })
})
