import type { Condition } from '@agents/kube'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { FoldedStatus } from './fold-gate.ts'
import { foldVerdicts } from './fold-verdicts.ts'
import { livingConditions } from './living-conditions.ts'
import { nextStatus } from './next-status.ts'
import type { Verdict } from './verdict.ts'

const doc = { True: 'Yes.', False: 'No.' }
const set = livingConditions({
  gates: [
    {
      type: 'Validated',
      notReady: 'ValidationFailed',
      doc,
      reasons: { OK: 'Fine.', NotFound: 'Not there.' },
    },
    { type: 'Synced', doc, reasons: { OK: 'Fine.', Running: 'Going on.' } },
    { type: 'Live', doc, reasons: { OK: 'Fine.', Disconnected: 'Gone.' } },
  ],
})
type Reason = 'OK' | 'NotFound' | 'Running' | 'Disconnected'

const pass: Verdict<Reason> = { kind: 'pass', reason: 'OK', message: 'fine' }
const wait: Verdict<Reason> = { kind: 'wait', reason: 'Running', message: '3 of 5 done' }
const stall: Verdict<Reason> = { kind: 'stall', reason: 'NotFound', message: 'create provider x' }
const threw: Verdict<Reason> = { kind: 'threw', message: 'the API server did not answer' }

const minute = (n: number) => new Date(Date.UTC(2026, 0, 1, 0, n))
const first = { now: minute(0), generation: 1 }
const brief = ({ conditions }: FoldedStatus) =>
  conditions.map(({ type, status, reason }) => `${type}=${status}/${reason}`)

describe('folding what the gates found', () => {
  const rows: { verdicts: Verdict<Reason>[]; says: string[]; because: string }[] = [
    {
      verdicts: [],
      says: [
        'Ready=False/NotChecked',
        'Reconciling=True/NotChecked',
        'Validated=Unknown/NotChecked',
        'Synced=Unknown/NotChecked',
        'Live=Unknown/NotChecked',
      ],
      because: 'all conditions exist from the first write on, before any gate was asked',
    },
    {
      verdicts: [pass],
      says: [
        'Ready=False/NotChecked',
        'Reconciling=True/NotChecked',
        'Validated=True/OK',
        'Synced=Unknown/NotChecked',
        'Live=Unknown/NotChecked',
      ],
      because: 'what was not asked, though nothing was in the way, is not checked',
    },
    {
      verdicts: [stall],
      says: [
        'Ready=False/ValidationFailed',
        'Stalled=True/NotFound',
        'Validated=False/NotFound',
        'Synced=Unknown/Blocked',
        'Live=Unknown/Blocked',
      ],
      because: 'a person must act; what comes later is blocked, and Ready has the word of the gate',
    },
    {
      verdicts: [pass, wait],
      says: [
        'Ready=False/Running',
        'Reconciling=True/Running',
        'Validated=True/OK',
        'Synced=False/Running',
        'Live=Unknown/Blocked',
      ],
      because: 'a gate without a word for Ready lends it its own reason',
    },
    {
      verdicts: [pass, threw],
      says: [
        'Ready=False/CheckFailed',
        'Reconciling=True/CheckFailed',
        'Validated=True/OK',
        'Synced=Unknown/CheckFailed',
        'Live=Unknown/Blocked',
      ],
      because: 'nobody knows about the gate, and nobody promises to be ready',
    },
    {
      verdicts: [pass, pass, pass],
      says: ['Ready=True/OK', 'Validated=True/OK', 'Synced=True/OK', 'Live=True/OK'],
      because: 'the companions are absent, not False, when all is well',
    },
  ]
  test.each(rows)('$because', ({ verdicts, says }) => {
    expect(brief(foldVerdicts(set, verdicts, undefined, first))).toEqual(says)
  })

  test('gives the summary and the companion the message of the first gate that is not True', () => {
    const { conditions } = foldVerdicts(set, [pass, wait], undefined, first)
    const messages = Object.fromEntries(conditions.map(({ type, message }) => [type, message]))
    expect(messages).toMatchObject({ Ready: '3 of 5 done', Reconciling: '3 of 5 done' })
    expect(messages.Live).toBe('waits until Synced is True')
  })

  test('keeps the times of what did not change, and drops what the kind does not declare', () => {
    const before = foldVerdicts(set, [pass, pass, pass], undefined, first)
    const foreign: Condition = {
      type: 'Degraded',
      status: 'True',
      reason: 'Old',
      message: '',
      lastTransitionTime: '2020-01-01T00:00:00Z',
    }
    const after = foldVerdicts(
      set,
      [pass, wait],
      { conditions: [foreign, ...before.conditions] },
      { now: minute(5), generation: 1 },
    )
    const times = after.conditions.map(({ type, lastTransitionTime }) => [type, lastTransitionTime])
    expect(Object.fromEntries(times)).toEqual({
      Ready: '2026-01-01T00:05:00Z',
      Reconciling: '2026-01-01T00:05:00Z',
      Validated: '2026-01-01T00:00:00Z',
      Synced: '2026-01-01T00:05:00Z',
      Live: '2026-01-01T00:05:00Z',
    })
  })

  test.each([
    { verdicts: [pass, pass, pass, pass], because: 'there are more verdicts than gates' },
    { verdicts: [wait, pass], because: 'a gate was asked past one that did not pass' },
    { verdicts: [wait], because: 'a gate gave a reason that is not its own' },
  ])('refuses: $because', ({ verdicts }) => {
    expect(() => foldVerdicts(set, verdicts, undefined, first)).toThrow(TypeError)
  })
})

describe('observedGeneration', () => {
  const rows: {
    verdicts: Verdict<Reason>[]
    before: number | undefined
    observed: number
    because: string
  }[] = [
    { verdicts: [pass, pass, pass], before: 1, observed: 2, because: 'every gate was asked' },
    {
      verdicts: [stall],
      before: 1,
      observed: 2,
      because: 'it advances also when the answer is no',
    },
    { verdicts: [pass, wait], before: 1, observed: 2, because: 'waiting is an answer' },
    { verdicts: [pass, threw], before: 1, observed: 1, because: 'a gate could not find out' },
    { verdicts: [threw], before: undefined, observed: -1, because: 'nobody has ever found out' },
    { verdicts: [pass], before: 1, observed: 1, because: 'asking was broken off' },
    { verdicts: [], before: undefined, observed: -1, because: 'nothing was asked' },
  ]
  test.each(rows)('is $observed after $before: $because', ({ verdicts, before, observed }) => {
    const previous = before === undefined ? undefined : { observedGeneration: before }
    const at = { now: minute(1), generation: 2 }
    expect(foldVerdicts(set, verdicts, previous, at).observedGeneration).toBe(observed)
  })

  test('of each condition is that of the object it was said about', () => {
    const { conditions } = foldVerdicts(set, [stall], undefined, { now: minute(0), generation: 9 })
    expect(new Set(conditions.map((condition) => condition.observedGeneration))).toEqual(
      new Set([9]),
    )
  })
})

const ends: Verdict<Reason>[][] = [
  [],
  [stall],
  [threw],
  [pass],
  [pass, wait],
  [pass, threw],
  [pass, pass, { kind: 'stall', reason: 'Disconnected', message: 'gone' }],
  [pass, pass, pass],
]
const history = fc.array(fc.constantFrom(...ends), { minLength: 1, maxLength: 12 })
const play = (passes: readonly Verdict<Reason>[][]) => {
  let status: FoldedStatus | undefined
  return passes.map((verdicts, n) => {
    const at = { now: minute(n), generation: 1 + Math.floor(n / 3) }
    status = foldVerdicts(set, verdicts, status, at)
    return status
  })
}

describe('any history of verdicts', () => {
  test('leaves each type once, in the declared order', () => {
    const order = set.all.map(({ type }) => type)
    fc.assert(
      fc.property(history, (passes) => {
        for (const { conditions } of play(passes)) {
          const places = conditions.map(({ type }) => order.indexOf(type))
          expect(places).toEqual([...new Set(places)].sort((a, b) => a - b))
          expect(places).not.toContain(-1)
        }
      }),
    )
  })

  test('uses only reasons that are declared, and never Reconciling and Stalled together', () => {
    const reasons = new Map(set.all.map(({ type, reasons }) => [type, Object.keys(reasons)]))
    fc.assert(
      fc.property(history, (passes) => {
        for (const { conditions } of play(passes)) {
          for (const { type, reason } of conditions) expect(reasons.get(type)).toContain(reason)
          const companions = conditions.filter(({ type }) => /^(Reconciling|Stalled)$/.test(type))
          const isReady = conditions[0]?.status === 'True'
          expect(companions.map(({ status }) => status)).toEqual(isReady ? [] : ['True'])
        }
      }),
    )
  })

  test('moves lastTransitionTime if and only if status moved', () => {
    fc.assert(
      fc.property(history, (passes) => {
        const seen = play(passes)
        seen.slice(1).forEach(({ conditions }, index) => {
          for (const condition of conditions) {
            const before = seen[index]?.conditions.find(({ type }) => type === condition.type)
            const moved = before?.status !== condition.status
            expect(condition.lastTransitionTime !== before?.lastTransitionTime).toBe(moved)
          }
        })
      }),
    )
  })

  test('is settled: the same verdicts again, at any later time, write nothing', () => {
    fc.assert(
      fc.property(history, fc.integer({ min: 0, max: 1e9 }), (passes, laterMs) => {
        const last = play(passes).at(-1)
        const generation = 1 + Math.floor((passes.length - 1) / 3)
        const now = new Date(minute(passes.length).getTime() + laterMs)
        const again = foldVerdicts(set, passes.at(-1) ?? [], last, { now, generation })
        expect(nextStatus(last, again, now)).toBeUndefined()
      }),
    )
  })
})
