import { livingConditions, runConditions } from '@agents/status'
import { expect, test } from 'vitest'
import { conditionSection } from './condition-section.ts'

const gate = {
  type: 'Validated',
  doc: { True: 'Yes.', False: 'No.' },
  reasons: { OK: 'The spec can be used.', Malformed: 'The spec cannot be used.' },
} as const

const linesAbout = (section: string, words: string) =>
  section.split('\n').filter((line) => line.includes(words))

test('the summary has an OK of its own, also beside a gate that has one', () => {
  const section = conditionSection(livingConditions({ gates: [gate] }))
  expect(linesAbout(section, '`OK`')).toEqual([
    '| `Ready` | `OK` | Every gate is True. |',
    '| `Validated` | `OK` | The spec can be used. |',
  ])
})

test('what a summary repeats from a gate is told once, with the gate', () => {
  const section = conditionSection(livingConditions({ gates: [gate] }))
  expect(linesAbout(section, '`Malformed`')).toEqual([
    '| `Validated` | `Malformed` | The spec cannot be used. |',
  ])
})

test('what several summaries say alike is told once', () => {
  const section = conditionSection(
    runConditions({ gates: [gate], failures: { TimedOut: 'It took too long.' } }),
  )
  expect(linesAbout(section, '`TimedOut`')).toEqual([
    '| `Succeeded`, `Finished` | `TimedOut` | It took too long. |',
  ])
})
