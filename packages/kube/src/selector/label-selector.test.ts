import { describe, expect, test } from 'vitest'
import type { LabelSelector } from '../kind/builtin-objects.ts'
import { matchesLabels, requirementsOf } from './label-selector.ts'

type Expression = NonNullable<LabelSelector['matchExpressions']>[number]

const labels = { app: 'web', tier: 'front', empty: '' }

function matches(selector: LabelSelector) {
  return matchesLabels(requirementsOf(selector), labels)
}

describe('matchLabels', () => {
  test.each([
    { because: 'an empty selector matches everything', matchLabels: {}, expected: true },
    { because: 'the value is equal', matchLabels: { app: 'web' }, expected: true },
    { because: 'the value differs', matchLabels: { app: 'api' }, expected: false },
    { because: 'all have to match', matchLabels: { app: 'web', tier: 'back' }, expected: false },
    { because: 'an empty value is a value', matchLabels: { empty: '' }, expected: true },
    { because: 'the label is missing', matchLabels: { other: '' }, expected: false },
  ])('$because: $matchLabels', ({ matchLabels, expected }) => {
    expect(matches({ matchLabels })).toBe(expected)
  })
})

describe('matchExpressions', () => {
  const cases: readonly (Expression & { because: string; expected: boolean })[] = [
    { because: 'listed', key: 'app', operator: 'In', values: ['api', 'web'], expected: true },
    { because: 'not listed', key: 'app', operator: 'In', values: ['api'], expected: false },
    { because: 'listed', key: 'app', operator: 'NotIn', values: ['api', 'web'], expected: false },
    { because: 'not listed', key: 'app', operator: 'NotIn', values: ['api'], expected: true },
    { because: 'missing', key: 'other', operator: 'NotIn', values: ['api'], expected: true },
    { because: 'present', key: 'tier', operator: 'Exists', expected: true },
    { because: 'missing', key: 'other', operator: 'Exists', expected: false },
    { because: 'inherited by objects', key: 'constructor', operator: 'Exists', expected: false },
    { because: 'present', key: 'tier', operator: 'DoesNotExist', expected: false },
    { because: 'missing', key: 'other', operator: 'DoesNotExist', expected: true },
  ]
  test.each(cases)('$operator of a label that is $because: $expected', (one) => {
    const { because: _because, expected, ...expression } = one
    expect(matches({ matchExpressions: [expression] })).toBe(expected)
  })

  test('are combined with matchLabels', () => {
    const matchExpressions: Expression[] = [
      { key: 'tier', operator: 'NotIn', values: ['back', 'middle'] },
      { key: 'other', operator: 'DoesNotExist' },
    ]
    expect(matches({ matchLabels: { app: 'web' }, matchExpressions })).toBe(true)
    expect(matches({ matchLabels: { app: 'api' }, matchExpressions })).toBe(false)
  })
})
