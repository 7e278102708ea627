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
      reasons: { OK: 'Fine.', NotFound: 'Not found.' },
    },
    { type: 'Synced', doc, reasons: { OK: 'Fine.', Running: 'In progress.' } },
    { type: 'Live', doc, reasons: { OK: 'Fine.', Disconnected: 'Disconnected.' } },
  ],
})
type Reason = 'OK' | 'NotFound' | 'Running' | 'Disconnected'

const pass: Verdict<Reason> = { kind: 'pass', reason: 'OK', message: 'fine' }
const wait: Verdict<Reason> = { kind: 'wait', reason: 'Running', message: '3 of 5 done' }
const stall: Verdict<Reason> = { kind: 'stall', reason: 'NotFound', message: 'create provider x' }
const threw: Verdict<Reason> = { kind: 'threw', message: 'the API server did not answer' }

const first = { now: minute(0), generation: 1 }

function minute(n: number): Date {
  return new Date(Date.UTC(2026, 0, 1, 0, n))
}

function brief({ conditions }: FoldedStatus): string[] {
  return conditions.map(({ type, status, reason }) => `${type}=${status}/${reason}`)
}

describe('folding the verdicts of the gates', () => {
  const rows: { verdicts: Verdict<Reason>[]; expectedConditions: string[]; because: string }[] = [
    {
      verdicts: [],
      expectedConditions: [
        'Ready=False/NotChecked',
        'Reconciling=True/NotChecked',
        'Validated=Unknown/NotChecked',
        'Synced=Unknown/NotChecked',
        'Live=Unknown/NotChecked',
      ],
      because: 'all conditions exist from the first write on, before any gate was checked',
    },
    {
      verdicts: [pass],
      expectedConditions: [
        'Ready=False/NotChecked',
        'Reconciling=True/NotChecked',
        'Validated=True/OK',
        'Synced=Unknown/NotChecked',
        'Live=Unknown/NotChecked',
      ],
      because: 'a gate that was not checked although no gate blocks it is NotChecked',
    },
    {
      verdicts: [stall],
      expectedConditions: [
        'Ready=False/ValidationFailed',
        'Stalled=True/NotFound',
        'Validated=False/NotFound',
        'Synced=Unknown/Blocked',
        'Live=Unknown/Blocked',
      ],
      because: 'a stalled gate blocks the later ones, and Ready has its notReady reason',
    },
    {
      verdicts: [pass, wait],
      expectedConditions: [
        'Ready=False/Running',
        'Reconciling=True/Running',
        'Validated=True/OK',
        'Synced=False/Running',
        'Live=Unknown/Blocked',
      ],
      because: 'Ready repeats the reason of a gate without notReady',
    },
    {
      verdicts: [pass, threw],
      expectedConditions: [
        'Ready=False/CheckFailed',
        'Reconciling=True/CheckFailed',
        'Validated=True/OK',
        'Synced=Unknown/CheckFailed',
        'Live=Unknown/Blocked',
      ],
      because: 'a gate whose check failed is Unknown, and Ready is False',
    },
    {
      verdicts: [pass, pass, pass],
      expectedConditions: ['Ready=True/OK', 'Validated=True/OK', 'Synced=True/OK', 'Live=True/OK'],
      because: 'the companions are absent, not False, when all gates are True',
    },
  ]
  test.each(rows)('$because', ({ verdicts, expectedConditions }) => {
    expect(brief(foldVerdicts(set, verdicts, undefined, first))).toEqual(expectedConditions)
  })

  test('gives the summary and the companion the message of the first gate that is not True', () => {
    const { conditions } = foldVerdicts(set, [pass, wait], undefined, first)
    const messages = Object.fromEntries(conditions.map(({ type, message }) => [type, message]))
    expect(messages).toMatchObject({ Ready: '3 of 5 done', Reconciling: '3 of 5 done' })
    expect(messages.Live).toBe('waiting for Synced to become True')
  })

  test('keeps the times of unchanged conditions and drops undeclared ones', () => {
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
    { verdicts: [pass, pass, pass, pass], because: 'more verdicts than gates' },
    { verdicts: [wait, pass], because: 'a verdict after a gate that did not pass' },
    { verdicts: [wait], because: 'the reason of another gate' },
  ])('rejects $because', ({ verdicts }) => {
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
    { verdicts: [pass, pass, pass], before: 1, observed: 2, because: 'every gate was checked' },
    {
      verdicts: [stall],
      before: 1,
      observed: 2,
      because: 'it also advances if a gate is False',
    },
    { verdicts: [pass, wait], before: 1, observed: 2, because: 'a gate that waits was checked' },
    { verdicts: [pass, threw], before: 1, observed: 1, because: 'the check of a gate failed' },
    { verdicts: [threw], before: undefined, observed: -1, because: 'no check ever succeeded' },
    { verdicts: [pass], before: 1, observed: 1, because: 'the evaluation was interrupted' },
    { verdicts: [], before: undefined, observed: -1, because: 'no gate was checked' },
  ]
  test.each(rows)('is $observed after $before: $because', ({ verdicts, before, observed }) => {
    const previous = before === undefined ? undefined : { observedGeneration: before }
    const at = { now: minute(1), generation: 2 }
    expect(foldVerdicts(set, verdicts, previous, at).observedGeneration).toBe(observed)
  })

  test('of each condition is that of the object', () => {
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
  [pass, pass, { kind: 'stall', reason: 'Disconnected', message: 'disconnected' }],
  [pass, pass, pass],
]
const history = fc.array(fc.constantFrom(...ends), { minLength: 1, maxLength: 12 })

/** Folds the verdicts of one reconcile a minute; returns the status after each. */
function play(reconciles: readonly Verdict<Reason>[][]): FoldedStatus[] {
  let status: FoldedStatus | undefined
  return reconciles.map((verdicts, n) => {
    const at = { now: minute(n), generation: 1 + Math.floor(n / 3) }
    status = foldVerdicts(set, verdicts, status, at)
    return status
  })
}

describe('any history of verdicts', () => {
  test('has each type once, in the declared order', () => {
    const order = set.all.map(({ type }) => type)
    fc.assert(
      fc.property(history, (reconciles) => {
        for (const { conditions } of play(reconciles)) {
          const positions = conditions.map(({ type }) => order.indexOf(type))
          expect(positions).toEqual([...new Set(positions)].sort((a, b) => a - b))
          expect(positions).not.toContain(-1)
        }
      }),
    )
  })

  test('has only declared reasons, and never Reconciling and Stalled together', () => {
    const reasons = new Map(set.all.map(({ type, reasons }) => [type, Object.keys(reasons)]))
    fc.assert(
      fc.property(history, (reconciles) => {
        for (const { conditions } of play(reconciles)) {
          for (const { type, reason } of conditions) expect(reasons.get(type)).toContain(reason)
          const companions = conditions.filter(({ type }) => /^(Reconciling|Stalled)$/.test(type))
          const isReady = conditions[0]?.status === 'True'
          expect(companions.map(({ status }) => status)).toEqual(isReady ? [] : ['True'])
        }
      }),
    )
  })

  test('changes lastTransitionTime if and only if status changed', () => {
    fc.assert(
      fc.property(history, (reconciles) => {
        const seen = play(reconciles)
        seen.slice(1).forEach(({ conditions }, index) => {
          for (const condition of conditions) {
            const before = seen[index]?.conditions.find(({ type }) => type === condition.type)
            const changed = before?.status !== condition.status
            expect(condition.lastTransitionTime !== before?.lastTransitionTime).toBe(changed)
          }
        })
      }),
    )
  })

  test('is settled: the same verdicts at any later time cause no write', () => {
    fc.assert(
      fc.property(history, fc.integer({ min: 0, max: 1e9 }), (reconciles, laterMs) => {
        const last = play(reconciles).at(-1)
        const generation = 1 + Math.floor((reconciles.length - 1) / 3)
        const now = new Date(minute(reconciles.length).getTime() + laterMs)
        const again = foldVerdicts(set, reconciles.at(-1) ?? [], last, { now, generation })
        expect(nextStatus(last, again, now)).toBeUndefined()
      }),
    )
  })
})
