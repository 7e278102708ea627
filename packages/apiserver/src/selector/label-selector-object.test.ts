import { describe, expect, test } from 'vitest'
import { type LabelSelectorObject, selectsLabels } from './label-selector-object.ts'

const labels = { tier: 'front', zone: 'a' }

describe('a label selector object', () => {
  test.each<{ because: string; selector: LabelSelectorObject; chosen: boolean }>([
    { because: 'the selector is empty', selector: {}, chosen: true },
    {
      because: 'all labels match',
      selector: { matchLabels: { tier: 'front', zone: 'a' } },
      chosen: true,
    },
    {
      because: 'one label differs',
      selector: { matchLabels: { tier: 'front', zone: 'b' } },
      chosen: false,
    },
    {
      because: 'the value is one of those',
      selector: { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a', 'b'] }] },
      chosen: true,
    },
    {
      because: 'the value is excluded',
      selector: { matchExpressions: [{ key: 'zone', operator: 'NotIn', values: ['a'] }] },
      chosen: false,
    },
    {
      because: 'the label exists',
      selector: { matchExpressions: [{ key: 'tier', operator: 'Exists' }] },
      chosen: true,
    },
    {
      because: 'the label must not exist',
      selector: { matchExpressions: [{ key: 'tier', operator: 'DoesNotExist' }] },
      chosen: false,
    },
    {
      because: 'labels match but an expression does not',
      selector: {
        matchLabels: { tier: 'front' },
        matchExpressions: [{ key: 'other', operator: 'Exists' }],
      },
      chosen: false,
    },
    {
      because: 'the operator does not exist',
      selector: { matchExpressions: [{ key: 'tier', operator: 'Near' }] },
      chosen: false,
    },
  ])('decides "$chosen" because $because', ({ selector, chosen }) => {
    expect(selectsLabels(selector, labels)).toBe(chosen)
  })
})
