import { describe, expect, test } from 'vitest'
import { differences } from './differences.ts'

describe('differences between surfaces', () => {
  test('none where only the order of keys and of plain lists differs', () => {
    const before = { a: { x: 1, y: [] }, list: ['one', 'two'] }
    const after = { list: ['two', 'one'], a: { y: [], x: 1 } }
    expect(differences(before, after)).toEqual([])
  })

  test.each([
    {
      because: 'a flag was removed',
      before: { flags: { '--all': {}, '--quiet': { short: '-q' } } },
      after: { flags: { '--all': {} } },
      lines: ['- flags / --quiet / short = "-q"'],
    },
    {
      because: 'a flag without a short form was added',
      before: { flags: { '--all': {} } },
      after: { flags: { '--all': {}, '--quiet': {} } },
      lines: ['+ flags / --quiet = {}'],
    },
    {
      because: 'a default was changed',
      before: { values: { replicas: 1 } },
      after: { values: { replicas: 2 } },
      lines: ['~ values / replicas = 1 -> = 2'],
    },
    {
      because: 'a metric was renamed',
      before: { metrics: ['depth', 'adds'] },
      after: { metrics: ['depth', 'additions'] },
      lines: ['+ metrics["additions"]', '- metrics["adds"]'],
    },
    {
      because: 'a rule in a list of objects was changed',
      before: { rules: [{ rule: 'a' }, { rule: 'b' }] },
      after: { rules: [{ rule: 'a' }, { rule: 'c' }] },
      lines: ['~ rules[1] / rule = "b" -> = "c"'],
    },
    {
      because: 'a list was emptied',
      before: { choices: ['json'] },
      after: { choices: [] },
      lines: ['+ choices = []', '- choices["json"]'],
    },
    {
      because: 'a value became null',
      before: { default: false },
      after: { default: null },
      lines: ['~ default = false -> = null'],
    },
  ])('$because', ({ before, after, lines }) => {
    expect(differences(before, after)).toEqual(lines)
  })
})
