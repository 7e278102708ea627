import type { Condition, ConditionStatus } from '@agents/kube'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { setCondition } from './set-condition.ts'

const then = '2026-01-01T00:00:00Z'
const now = new Date('2026-01-01T00:05:00.789Z')
const at = { now, generation: 7 }

const had = (type: string, status: ConditionStatus = 'True'): Condition => ({
  type,
  status,
  reason: 'Before',
  message: 'as it was',
  lastTransitionTime: then,
  observedGeneration: 6,
})

const said = (type: string, status: ConditionStatus) => ({
  type,
  status,
  reason: 'After',
  message: 'as it is',
})

describe('setting a condition', () => {
  test.each([
    {
      before: [],
      set: said('Ready', 'True'),
      types: ['Ready'],
      time: '2026-01-01T00:05:00Z',
      because: 'a type that was not there is inserted, and changed just now',
    },
    {
      before: [had('Ready'), had('Live')],
      set: said('Ready', 'False'),
      types: ['Ready', 'Live'],
      time: '2026-01-01T00:05:00Z',
      because: 'a type that was there is replaced in its place, and its status moved',
    },
    {
      before: [had('Ready'), had('Live')],
      set: said('Live', 'True'),
      types: ['Ready', 'Live'],
      time: then,
      because: 'reason and message follow while the time stays, for the status did',
    },
    {
      before: [had('Live'), had('Ready')],
      set: said('Live', 'True'),
      types: ['Live', 'Ready'],
      time: then,
      because: 'the position of an entry does not matter for finding it',
    },
    {
      before: [had('Live'), had('Ready'), had('Live', 'False'), had('Ready')],
      set: said('Live', 'True'),
      types: ['Live', 'Ready'],
      time: then,
      because: 'entries that were there twice are there once afterwards, and the first one counts',
    },
    {
      before: [{ ...had('Ready'), lastTransitionTime: '' }],
      set: said('Ready', 'True'),
      types: ['Ready'],
      time: '2026-01-01T00:05:00Z',
      because: 'a time that nobody set is set now',
    },
  ])('$because', ({ before, set, types, time }) => {
    const after = setCondition(before, set, at)
    expect(after.map(({ type }) => type)).toEqual(types)
    expect(after.find(({ type }) => type === set.type)).toEqual({
      ...set,
      lastTransitionTime: time,
      observedGeneration: 7,
    })
  })

  test.each([
    {
      message: 'x'.repeat(40_000),
      kept: `${'x'.repeat(32_767)}…`,
      because: 'a message that is too long would have the whole status refused',
    },
    {
      message: 'x'.repeat(32_768),
      kept: 'x'.repeat(32_768),
      because: 'a message of the greatest length is left alone',
    },
    {
      message: `${'x'.repeat(32_766)}😀😀`,
      kept: `${'x'.repeat(32_766)}\ufffd…`,
      because: 'half a character is not stored as it is, and would differ at every look',
    },
  ])('$because', ({ message, kept }) => {
    const [condition] = setCondition([], { ...said('Ready', 'False'), message }, at)
    expect(condition?.message).toBe(kept)
  })

  test('leaves the other entries and its input as they were', () => {
    const before = Object.freeze([Object.freeze(had('Ready')), Object.freeze(had('Live'))])
    const after = setCondition(before, said('Live', 'False'), at)
    expect(after[0]).toEqual(had('Ready'))
    expect(before).toEqual([had('Ready'), had('Live')])
  })
})

const update = fc.record({
  type: fc.constantFrom('Ready', 'Live', 'Built', '__proto__'),
  status: fc.constantFrom<ConditionStatus>('True', 'False', 'Unknown'),
  reason: fc.constantFrom('One', 'Two'),
  message: fc.string({ maxLength: 5 }),
})
const updates = fc.array(update, { maxLength: 20 })

describe('any sequence of updates', () => {
  const play = (sequence: readonly Parameters<typeof setCondition>[1][]) =>
    sequence.reduce<Condition[]>(
      (conditions, next, minute) =>
        setCondition(conditions, next, {
          now: new Date(Date.UTC(2026, 0, 1, 0, minute)),
          generation: minute,
        }),
      [],
    )

  test('never leaves a type twice', () => {
    fc.assert(
      fc.property(updates, (sequence) => {
        const types = play(sequence).map(({ type }) => type)
        expect(new Set(types).size).toBe(types.length)
      }),
    )
  })

  test('moves lastTransitionTime if and only if status moved', () => {
    fc.assert(
      fc.property(updates, update, (sequence, last) => {
        const before = play(sequence)
        const after = play([...sequence, last])
        const find = (conditions: Condition[]) => conditions.find(({ type }) => type === last.type)
        const moved = find(before)?.status !== last.status
        expect(find(after)?.lastTransitionTime !== find(before)?.lastTransitionTime).toBe(moved)
      }),
    )
  })

  test('keeps the order in which types first appeared', () => {
    fc.assert(
      fc.property(updates, (sequence) => {
        const firstSeen = [...new Set(sequence.map(({ type }) => type))]
        expect(play(sequence).map(({ type }) => type)).toEqual(firstSeen)
      }),
    )
  })

  test('ends with what was said last about each type', () => {
    fc.assert(
      fc.property(updates, (sequence) => {
        for (const condition of play(sequence)) {
          expect(condition).toMatchObject(
            sequence.findLast(({ type }) => type === condition.type) ?? {},
          )
        }
      }),
    )
  })
})
