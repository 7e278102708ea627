import { describe, expect, expectTypeOf, test } from 'vitest'
import type { GateInput } from './condition-declaration.ts'
import type { ReasonOf, VerdictOf } from './condition-words.ts'
import { livingConditions } from './living-conditions.ts'
import { runConditions } from './run-conditions.ts'
import type { RunVerdict, Verdict } from './verdict.ts'

const doc = { True: 'Yes.', False: 'No.' }

const living = livingConditions({
  gates: [
    { type: 'Reachable', notReady: 'CannotReach', doc, reasons: { OK: 'Up.', Down: 'Down.' } },
    { type: 'Filled', doc, reasons: { Full: 'Full.', Empty: 'Empty.' } },
  ],
})

const run = runConditions({
  gates: [{ type: 'Accepted', doc, reasons: { OK: 'Fine.', Refused: 'Not fine.' } }],
  progress: { Retrying: 'Its last attempt failed; the next one is on its way.' },
  failures: { TimedOut: 'It took too long.' },
})

const typesOf = (all: readonly { type: string }[]) => all.map(({ type }) => type)
const reasonsOf = (set: typeof living | typeof run, type: string) =>
  Object.keys(set.all.find((condition) => condition.type === type)?.reasons ?? {}).sort()

describe('the conditions of a kind, declared once', () => {
  test('come in the order: summary, companions, gates', () => {
    expect(typesOf(living.all)).toEqual(['Ready', 'Reconciling', 'Stalled', 'Reachable', 'Filled'])
    expect(typesOf(run.all)).toEqual([
      'Succeeded',
      'Finished',
      'Ready',
      'Reconciling',
      'Stalled',
      'Accepted',
    ])
  })

  test('know their gates and reasons as literals', () => {
    expectTypeOf(living.gates[0]?.type).toEqualTypeOf<'Reachable' | 'Filled' | undefined>()
    expectTypeOf<ReasonOf<typeof living, 'Filled'>>().toEqualTypeOf<'Full' | 'Empty'>()
    expectTypeOf<VerdictOf<typeof living, 'Filled'>>().toEqualTypeOf<Verdict<'Full' | 'Empty'>>()
    expectTypeOf<VerdictOf<typeof run>>().toEqualTypeOf<
      RunVerdict<'OK' | 'Refused' | 'TimedOut' | 'Failed'>
    >()
    expectTypeOf<keyof typeof run.failures>().toEqualTypeOf<'TimedOut' | 'Failed'>()
    expectTypeOf<keyof typeof run.progress>().toEqualTypeOf<'Retrying' | 'Running'>()
  })

  test('close the list of reasons, with what every gate may say when it does not know', () => {
    expect(reasonsOf(living, 'Filled')).toEqual([
      'Blocked',
      'CheckFailed',
      'Empty',
      'Full',
      'NotChecked',
    ])
  })

  test('give Ready the word of a gate that has one for it, and the own reasons of a gate that has none', () => {
    expect(reasonsOf(living, 'Ready')).toEqual([
      'Blocked',
      'CannotReach',
      'CheckFailed',
      'Empty',
      'Full',
      'NotChecked',
      'OK',
    ])
  })

  test('let Finished say how it ended, and no gate reason', () => {
    expect(reasonsOf(run, 'Finished')).toEqual([
      'Cancelled',
      'CheckFailed',
      'Failed',
      'Pending',
      'Retrying',
      'Running',
      'Succeeded',
      'TimedOut',
    ])
  })

  test('have a sentence for everything', () => {
    for (const { doc, reasons } of [...living.all, ...run.all]) {
      for (const sentence of [...Object.values(doc), ...Object.values(reasons)]) {
        expect(sentence).toMatch(/^[A-Z].*\.$/)
      }
    }
  })

  const gate = (type: string, reason = 'OK', notReady = 'Bad'): GateInput => ({
    type,
    notReady,
    doc,
    reasons: { [reason]: 'Fine.' },
  })

  test.each([
    { gates: [gate('Ready')], because: 'the summary is nobody’s gate' },
    { gates: [gate('Stalled')], because: 'the companions are nobody’s gates' },
    { gates: [gate('A'), gate('A')], because: 'conditions are a map keyed by type' },
    { gates: [gate('not-a-word')], because: 'types are CamelCase words' },
    { gates: [gate('A', 'has space')], because: 'reasons are CamelCase words' },
    { gates: [gate('A', 'OK', 'no_word')], because: 'reasons of Ready are CamelCase words' },
  ])('refuse a declaration: $because', ({ gates }) => {
    expect(() => livingConditions({ gates })).toThrow(TypeError)
  })

  test('refuse a run gate called Finished: every run has that question already', () => {
    expect(() => runConditions({ gates: [gate('Finished')] })).toThrow(TypeError)
  })
})
