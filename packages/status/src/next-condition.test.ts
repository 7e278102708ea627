import type { Condition, ConditionStatus } from '@agents/kube'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type ConditionUpdate,
  indexByType,
  nextCondition,
  type Observation,
} from './next-condition.ts'

const then = '2026-01-01T00:00:00Z'
const now = new Date('2026-01-01T00:05:00.789Z')
const at = { now, generation: 7 }

/** Inserts or replaces one condition: entries keep their position, a new type is appended. */
function setCondition(
  conditions: readonly Condition[],
  update: ConditionUpdate,
  observation: Observation,
): Condition[] {
  const byType = indexByType(conditions)
  byType.set(update.type, nextCondition(byType.get(update.type), update, observation))
  return [...byType.values()]
}

function previous(type: string, status: ConditionStatus = 'True'): Condition {
  return {
    type,
    status,
    reason: 'Before',
    message: 'as it was',
    lastTransitionTime: then,
    observedGeneration: 6,
  }
}

function updated(type: string, status: ConditionStatus): ConditionUpdate {
  return { type, status, reason: 'After', message: 'as it is' }
}

describe('setting a condition', () => {
  test.each([
    {
      before: [],
      set: updated('Ready', 'True'),
      types: ['Ready'],
      time: '2026-01-01T00:05:00Z',
      because: 'a new type is appended with the current time',
    },
    {
      before: [previous('Ready'), previous('Live')],
      set: updated('Ready', 'False'),
      types: ['Ready', 'Live'],
      time: '2026-01-01T00:05:00Z',
      because: 'an existing type keeps its position; its time changes with its status',
    },
    {
      before: [previous('Ready'), previous('Live')],
      set: updated('Live', 'True'),
      types: ['Ready', 'Live'],
      time: then,
      because: 'reason and message change without the time if the status stays',
    },
    {
      before: [previous('Live'), previous('Ready')],
      set: updated('Live', 'True'),
      types: ['Live', 'Ready'],
      time: then,
      because: 'an entry is found at any position',
    },
    {
      before: [previous('Live'), previous('Ready'), previous('Live', 'False'), previous('Ready')],
      set: updated('Live', 'True'),
      types: ['Live', 'Ready'],
      time: then,
      because: 'of duplicate entries the first one is kept',
    },
    {
      before: [{ ...previous('Ready'), lastTransitionTime: '' }],
      set: updated('Ready', 'True'),
      types: ['Ready'],
      time: '2026-01-01T00:05:00Z',
      because: 'an empty time is set',
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
      because: 'a message that is too long is truncated, or the status would be rejected',
    },
    {
      message: 'x'.repeat(32_768),
      kept: 'x'.repeat(32_768),
      because: 'a message of the maximum length is unchanged',
    },
    {
      message: `${'x'.repeat(32_766)}😀😀`,
      kept: `${'x'.repeat(32_766)}\ufffd…`,
      because: 'half a surrogate pair is replaced, or every reconcile would find a difference',
    },
  ])('$because', ({ message, kept }) => {
    const [condition] = setCondition([], { ...updated('Ready', 'False'), message }, at)
    expect(condition?.message).toBe(kept)
  })

  test('does not change the other entries or its input', () => {
    const before = Object.freeze([
      Object.freeze(previous('Ready')),
      Object.freeze(previous('Live')),
    ])
    const after = setCondition(before, updated('Live', 'False'), at)
    expect(after[0]).toEqual(previous('Ready'))
    expect(before).toEqual([previous('Ready'), previous('Live')])
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

  test('has each type at most once', () => {
    fc.assert(
      fc.property(updates, (sequence) => {
        const types = play(sequence).map(({ type }) => type)
        expect(new Set(types).size).toBe(types.length)
      }),
    )
  })

  test('changes lastTransitionTime if and only if status changed', () => {
    fc.assert(
      fc.property(updates, update, (sequence, last) => {
        const before = play(sequence)
        const after = play([...sequence, last])
        const find = (conditions: Condition[]) => conditions.find(({ type }) => type === last.type)
        const changed = find(before)?.status !== last.status
        expect(find(after)?.lastTransitionTime !== find(before)?.lastTransitionTime).toBe(changed)
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

  test('ends with the last update of each type', () => {
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
