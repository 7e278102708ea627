import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nextStatus, settled } from './next-status.ts'

const clock = {
  stamped: ['updatedAt', 'lastReconcileTime'],
  passive: ['stream.lastEventTime'],
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
    { next: { ...status }, settled: true, because: 'it is equal' },
    {
      next: { ...status, updatedAt: '2026-01-01T00:01:00Z', lastReconcileTime: undefined },
      settled: true,
      because: 'only the time of the write differs',
    },
    {
      next: { ...status, stream: { status: 'Live', lastEventTime: '2026-01-01T00:04:00Z' } },
      settled: true,
      because: 'only the time of an event differs',
    },
    {
      next: { ...status, workerRef: undefined },
      settled: true,
      because: 'an undefined property is not sent',
    },
    {
      next: Object.fromEntries(Object.entries(status).reverse()),
      settled: true,
      because: 'the order of properties does not matter',
    },
    {
      next: { ...status, observedGeneration: 3n },
      settled: true,
      because: 'a bigint equals the number with the same value',
    },
    {
      next: { ...status, observedGeneration: '3' },
      settled: false,
      because: 'a string differs from a number',
    },
    {
      next: { ...status, observedGeneration: 4 },
      settled: false,
      because: 'a newer spec was observed',
    },
    {
      next: { ...status, stream: { status: 'Disconnected' } },
      settled: false,
      because: 'a field beside the clock field changed',
    },
    {
      next: { ...status, stream: undefined },
      settled: false,
      because: 'an object was removed',
    },
    {
      next: { ...status, conditions: [] },
      settled: false,
      because: 'a list got shorter',
    },
    {
      next: { ...status, conditions: [{ type: 'Ready', status: 'True', updatedAt: 'y' }] },
      settled: false,
      because: 'a clock field is a path, not a name at any depth',
    },
  ]
  test.each(rows)('$settled: $because', ({ next, settled: expected }) => {
    expect(settled(status, next, clock)).toBe(expected)
  })

  test.each([
    { previous: '{"a": []}', next: '{"a": {}}', because: 'an empty list is not an empty object' },
    { previous: '{}', next: '{"__proto__": {}}', because: 'an inherited property is not a value' },
    { previous: '{"a": null}', next: '{}', because: 'null is a value' },
  ])('never: $because', ({ previous, next }) => {
    expect(settled(JSON.parse(previous), JSON.parse(next))).toBe(false)
    expect(settled(JSON.parse(next), JSON.parse(previous))).toBe(false)
  })
})

describe('the next status', () => {
  test('is undefined if only clock fields changed', () => {
    expect(
      nextStatus(status, { ...status, updatedAt: 'never compared' }, now, clock),
    ).toBeUndefined()
  })

  test('has all stamps, and the current value of the other times', () => {
    const stream = { status: 'Live', lastEventTime: '2026-01-01T00:04:00Z' }
    expect(nextStatus(status, { observedGeneration: 4, stream }, now, clock)).toEqual({
      observedGeneration: 4,
      stream,
      updatedAt: '2026-01-01T00:05:00Z',
      lastReconcileTime: '2026-01-01T00:05:00Z',
    })
  })

  test('is written if there was none before', () => {
    expect(nextStatus(undefined, {}, now)).toEqual({ updatedAt: '2026-01-01T00:05:00Z' })
  })

  test('is settled after it was written', () => {
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
