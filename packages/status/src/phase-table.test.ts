import type { Condition, ConditionStatus } from '@agents/kube'
import fc from 'fast-check'
import { describe, expect, expectTypeOf, test } from 'vitest'
import type { ConditionTypeOf } from './condition-names.ts'
import { livingConditions } from './living-conditions.ts'
import { phaseTable } from './phase-table.ts'
import { runConditions } from './run-conditions.ts'
import { runPhase } from './run-phase.ts'

const doc = { True: 'Yes.', False: 'No.' }
const set = livingConditions({
  gates: [
    { type: 'Built', doc, reasons: { OK: 'Fine.' } },
    { type: 'Live', doc, reasons: { OK: 'Fine.', Gone: 'Deleted.' } },
  ],
})
const run = runConditions({
  gates: [
    { type: 'Accepted', doc, reasons: { OK: 'Fine.' } },
    { type: 'Started', doc, reasons: { OK: 'Fine.' } },
  ],
  failures: { TimedOut: 'It took too long.' },
})

const phase = phaseTable(set, [
  { phase: 'Up', when: { Ready: 'True' }, doc: 'It is up.' },
  { phase: 'New', when: { Built: 'Unknown/NotChecked' }, doc: 'It was not checked.' },
  { phase: 'Limping', when: { Built: 'True', Live: 'not True' }, doc: 'It was up.' },
  { phase: 'Down', doc: 'Anything else.' },
])

/** Parses `Type=Status/Reason`. */
function condition(text: string): Condition {
  const [type = '', status = '', reason = 'OK'] = text.split(/[=/]/)
  return {
    type,
    status: status as ConditionStatus,
    reason,
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  }
}

describe('a phase table', () => {
  test.each([
    { conditions: [], phase: 'New', because: 'a missing condition counts as not checked' },
    {
      conditions: ['Ready=True', 'Built=Unknown/NotChecked'],
      phase: 'Up',
      because: 'the first row wins',
    },
    {
      conditions: ['Built=True', 'Live=Unknown/Blocked'],
      phase: 'Limping',
      because: 'Unknown is not True',
    },
    { conditions: ['Built=True'], phase: 'Limping', because: 'missing is not True either' },
    {
      conditions: ['Built=Unknown/Blocked'],
      phase: 'Down',
      because: 'a row may require a reason',
    },
    {
      conditions: ['Built=False/NotChecked'],
      phase: 'Down',
      because: 'status and reason must both match',
    },
    {
      conditions: ['Built=True', 'Live=True'],
      phase: 'Down',
      because: 'the last row always matches',
    },
  ])('$conditions is $phase: $because', ({ conditions, phase: expected }) => {
    expect(phase(conditions.map(condition))).toBe(expected)
  })

  test('has the types of its phases and of the conditions of the kind', () => {
    expectTypeOf(phase).returns.toEqualTypeOf<'Up' | 'New' | 'Limping' | 'Down'>()
    expectTypeOf<ConditionTypeOf<typeof set>>().toEqualTypeOf<
      'Built' | 'Live' | 'Ready' | 'Reconciling' | 'Stalled'
    >()
    expectTypeOf<ConditionTypeOf<typeof run>>().toEqualTypeOf<
      'Accepted' | 'Started' | 'Ready' | 'Reconciling' | 'Stalled' | 'Succeeded' | 'Finished'
    >()
    const last = { phase: 'B', doc: 'y' } as const
    // @ts-expect-error: a table cannot use a condition that the kind does not have
    phaseTable(set, [{ phase: 'A', when: { Biult: 'True' }, doc: 'x' }, last])
  })

  test('lists its rows', () => {
    expect(phase.rows.map((row) => row.phase)).toEqual(['Up', 'New', 'Limping', 'Down'])
  })
})

describe('the phase of a run', () => {
  test.each([
    { conditions: [], phase: 'Pending', because: 'no gate was checked' },
    { conditions: ['Accepted=True'], phase: 'Pending', because: 'accepted work has not started' },
    {
      conditions: ['Accepted=True', 'Started=True'],
      phase: 'Running',
      because: 'every gate has passed',
    },
    {
      conditions: ['Succeeded=True', 'Finished=True/Succeeded', 'Started=True'],
      phase: 'Succeeded',
      because: 'the outcome has priority over the gates',
    },
    {
      conditions: ['Succeeded=False/Cancelled', 'Finished=True/Cancelled'],
      phase: 'Cancelled',
      because: 'it was stopped before it started',
    },
    {
      conditions: [
        'Succeeded=False/TimedOut',
        'Finished=True/TimedOut',
        'Accepted=True',
        'Started=True',
      ],
      phase: 'Failed',
      because: 'every outcome other than success and cancellation is a failure',
    },
  ])('$conditions is $phase: $because', ({ conditions, phase: expected }) => {
    expect(runPhase(run)(conditions.map(condition))).toBe(expected)
  })
})

function anyConditions(types: readonly string[]): fc.Arbitrary<Condition[]> {
  return fc.array(
    fc.record({
      type: fc.constantFrom(...types, 'Foreign'),
      status: fc.constantFrom<ConditionStatus>('True', 'False', 'Unknown'),
      reason: fc.constantFrom('OK', 'NotChecked', 'Blocked', 'Cancelled', '__proto__'),
      message: fc.constant(''),
      lastTransitionTime: fc.constant('2026-01-01T00:00:00Z'),
    }),
    { maxLength: 8 },
  )
}

describe('every phase table', () => {
  test.each([
    { name: 'living', table: phase, types: set.all.map(({ type }) => type) },
    { name: 'run', table: runPhase(run), types: run.all.map(({ type }) => type) },
  ])('is total: $name', ({ table, types }) => {
    const phases: readonly string[] = table.rows.map((row) => row.phase)
    fc.assert(
      fc.property(anyConditions(types), (conditions) => {
        expect(phases).toContain(table(conditions))
      }),
    )
  })
})
