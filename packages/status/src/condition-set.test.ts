import { describe, expect, expectTypeOf, test } from 'vitest'
import type { GateInput } from './condition-declaration.ts'
import type { ReasonOf } from './condition-names.ts'
import { livingConditions } from './living-conditions.ts'
import { runConditions } from './run-conditions.ts'

const doc = { True: 'Yes.', False: 'No.' }

const living = livingConditions({
  gates: [
    { type: 'Reachable', notReady: 'CannotReach', doc, reasons: { OK: 'Up.', Down: 'Down.' } },
    { type: 'Filled', doc, reasons: { Full: 'Full.', Empty: 'Empty.' } },
  ],
})

const run = runConditions({
  gates: [{ type: 'Accepted', doc, reasons: { OK: 'Fine.', Refused: 'Not fine.' } }],
  progress: { Retrying: 'The last attempt failed; the next one follows.' },
  failures: { TimedOut: 'It took too long.' },
})

function typesOf(all: readonly { type: string }[]): string[] {
  return all.map(({ type }) => type)
}

function reasonsOf(set: typeof living | typeof run, type: string): string[] {
  return Object.keys(set.all.find((condition) => condition.type === type)?.reasons ?? {}).sort()
}

describe('the conditions of a kind', () => {
  test('are listed in the order: summary, companions, gates', () => {
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

  test('have their gates and reasons as literal types', () => {
    expectTypeOf(living.gates[0]?.type).toEqualTypeOf<'Reachable' | 'Filled' | undefined>()
    expectTypeOf<ReasonOf<typeof living, 'Filled'>>().toEqualTypeOf<'Full' | 'Empty'>()
    expectTypeOf<keyof typeof run.failures>().toEqualTypeOf<'TimedOut' | 'Failed'>()
    expectTypeOf<keyof typeof run.progress>().toEqualTypeOf<'Retrying' | 'Running'>()
  })

  test('have a closed list of reasons, including those of Unknown', () => {
    expect(reasonsOf(living, 'Filled')).toEqual([
      'Blocked',
      'CheckFailed',
      'Empty',
      'Full',
      'NotChecked',
    ])
  })

  test('give Ready the notReady reason of a gate, or all reasons of a gate without one', () => {
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

  test('give Finished the outcomes, and no reason of a gate', () => {
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

  test('document every status and reason with a sentence', () => {
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
    { gates: [gate('Ready')], because: 'a gate with the type of the summary' },
    { gates: [gate('Stalled')], because: 'a gate with the type of a companion' },
    { gates: [gate('A'), gate('A')], because: 'two gates of one type' },
    { gates: [gate('not-camel-case')], because: 'a type that is not in CamelCase' },
    { gates: [gate('A', 'has space')], because: 'a reason that is not in CamelCase' },
    {
      gates: [gate('A', 'OK', 'snake_case')],
      because: 'a notReady reason that is not in CamelCase',
    },
  ])('reject $because', ({ gates }) => {
    expect(() => livingConditions({ gates })).toThrow(TypeError)
  })

  test('reject a run gate called Finished, which every run has', () => {
    expect(() => runConditions({ gates: [gate('Finished')] })).toThrow(TypeError)
  })
})
