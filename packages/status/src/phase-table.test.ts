import type { Condition, ConditionStatus } from '@agents/kube'
import fc from 'fast-check'
import { describe, expect, expectTypeOf, test } from 'vitest'
import type { ConditionTypeOf } from './condition-words.ts'
import { livingConditions } from './living-conditions.ts'
import { phaseTable } from './phase-table.ts'
import { runConditions } from './run-conditions.ts'
import { runPhase } from './run-phase.ts'

const doc = { True: 'Yes.', False: 'No.' }
const set = livingConditions({
  gates: [
    { type: 'Built', doc, reasons: { OK: 'Fine.' } },
    { type: 'Live', doc, reasons: { OK: 'Fine.', Gone: 'Not there.' } },
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
  { phase: 'Up', when: { Ready: 'True' }, doc: 'All is well.' },
  { phase: 'New', when: { Built: 'Unknown/NotChecked' }, doc: 'Nobody has looked.' },
  { phase: 'Limping', when: { Built: 'True', Live: 'not True' }, doc: 'It was up.' },
  { phase: 'Down', doc: 'Anything else.' },
])

const condition = (said: string): Condition => {
  const [type = '', status = '', reason = 'OK'] = said.split(/[=/]/)
  return {
    type,
    status: status as ConditionStatus,
    reason,
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  }
}

describe('a phase read from a table', () => {
  test.each([
    { said: [], phase: 'New', because: 'a missing condition is one that was not checked' },
    {
      said: ['Ready=True', 'Built=Unknown/NotChecked'],
      phase: 'Up',
      because: 'the first row wins',
    },
    {
      said: ['Built=True', 'Live=Unknown/Blocked'],
      phase: 'Limping',
      because: 'Unknown is not True',
    },
    { said: ['Built=True'], phase: 'Limping', because: 'missing is not True either' },
    {
      said: ['Built=Unknown/Blocked'],
      phase: 'Down',
      because: 'a row may ask for one reason only',
    },
    { said: ['Built=False/NotChecked'], phase: 'Down', because: 'status and reason must both fit' },
    { said: ['Built=True', 'Live=True'], phase: 'Down', because: 'the last row takes the rest' },
  ])('$said is $phase: $because', ({ said, phase: expected }) => {
    expect(phase(said.map(condition))).toBe(expected)
  })

  test('knows its phases and the kind’s condition types', () => {
    expectTypeOf(phase).returns.toEqualTypeOf<'Up' | 'New' | 'Limping' | 'Down'>()
    expectTypeOf<ConditionTypeOf<typeof set>>().toEqualTypeOf<
      'Built' | 'Live' | 'Ready' | 'Reconciling' | 'Stalled'
    >()
    expectTypeOf<ConditionTypeOf<typeof run>>().toEqualTypeOf<
      'Accepted' | 'Started' | 'Ready' | 'Reconciling' | 'Stalled' | 'Succeeded' | 'Finished'
    >()
    const last = { phase: 'B', doc: 'y' } as const
    // @ts-expect-error: a table cannot ask for a condition that the kind does not have
    phaseTable(set, [{ phase: 'A', when: { Biult: 'True' }, doc: 'x' }, last])
  })

  test('can be read as a table', () => {
    expect(phase.rows.map((row) => row.phase)).toEqual(['Up', 'New', 'Limping', 'Down'])
  })
})

describe('the phase of a run', () => {
  test.each([
    { said: [], phase: 'Pending', because: 'nobody has looked at it' },
    { said: ['Accepted=True'], phase: 'Pending', because: 'accepted work has not started' },
    { said: ['Accepted=True', 'Started=True'], phase: 'Running', because: 'every gate has passed' },
    {
      said: ['Succeeded=True', 'Finished=True/Succeeded', 'Started=True'],
      phase: 'Succeeded',
      because: 'the outcome outranks the gates',
    },
    {
      said: ['Succeeded=False/Cancelled', 'Finished=True/Cancelled'],
      phase: 'Cancelled',
      because: 'it was stopped before it started',
    },
    {
      said: ['Succeeded=False/TimedOut', 'Finished=True/TimedOut', 'Accepted=True', 'Started=True'],
      phase: 'Failed',
      because: 'every end but success and cancel is a failure',
    },
  ])('$said is $phase: $because', ({ said, phase: expected }) => {
    expect(runPhase(run)(said.map(condition))).toBe(expected)
  })
})

const anyConditions = (types: readonly string[]) =>
  fc.array(
    fc.record({
      type: fc.constantFrom(...types, 'Foreign'),
      status: fc.constantFrom<ConditionStatus>('True', 'False', 'Unknown'),
      reason: fc.constantFrom('OK', 'NotChecked', 'Blocked', 'Cancelled', '__proto__'),
      message: fc.constant(''),
      lastTransitionTime: fc.constant('2026-01-01T00:00:00Z'),
    }),
    { maxLength: 8 },
  )

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
