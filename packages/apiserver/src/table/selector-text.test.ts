import { expect, test } from 'vitest'
import { labelsText, selectorOrNone, selectorText } from './selector-text.ts'

test.each([
  { selector: undefined, text: '', because: 'no selector has no text' },
  { selector: { matchLabels: { b: '2', a: '1' } }, text: 'a=1,b=2', because: 'keys are sorted' },
  {
    selector: {
      matchLabels: { m: '1' },
      matchExpressions: [
        { key: 'z', operator: 'NotIn', values: ['b', 'a'] },
        { key: 'x', operator: 'DoesNotExist' },
        { key: 'a', operator: 'Exists' },
        { key: 'k', operator: 'In', values: ['v'] },
      ],
    },
    text: 'a,k in (v),m=1,!x,z notin (a,b)',
    because: 'labels and expressions are sorted together by key, and values too',
  },
])('$text: $because', ({ selector, text }) => {
  expect(selectorText(selector)).toBe(text)
})

test('an empty selector has a placeholder', () => {
  expect(selectorOrNone({})).toBe('<none>')
  expect(labelsText({})).toBe('<none>')
  expect(labelsText({ b: '2', a: '1' })).toBe('a=1,b=2')
})
