import { livingConditions, runConditions } from '@agents/status'
import { expect, test } from 'vitest'
import { conditionSection } from './condition-section.ts'

const gate = {
  type: 'Validated',
  doc: { True: 'Yes.', False: 'No.' },
  reasons: { OK: 'The spec can be used.', Malformed: 'The spec cannot be used.' },
} as const

function linesWith(section: string, text: string): string[] {
  return section.split('\n').filter((line) => line.includes(text))
}

test('the OK of the summary and that of a gate have separate rows', () => {
  const section = conditionSection(livingConditions({ gates: [gate] }))
  expect(linesWith(section, '`OK`')).toEqual([
    '| `Ready` | `OK` | All gates are True. |',
    '| `Validated` | `OK` | The spec can be used. |',
  ])
})

test('a reason that a summary repeats from a gate is listed once, with the gate', () => {
  const section = conditionSection(livingConditions({ gates: [gate] }))
  expect(linesWith(section, '`Malformed`')).toEqual([
    '| `Validated` | `Malformed` | The spec cannot be used. |',
  ])
})

test('a reason that several summaries share is listed once', () => {
  const section = conditionSection(
    runConditions({ gates: [gate], failures: { TimedOut: 'It took too long.' } }),
  )
  expect(linesWith(section, '`TimedOut`')).toEqual([
    '| `Succeeded`, `Finished` | `TimedOut` | It took too long. |',
  ])
})
