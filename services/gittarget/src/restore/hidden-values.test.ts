import { expect, test } from 'vitest'
import { hideValues, withoutValues } from './hidden-values.ts'

test('values are hidden, and it can be seen which of them differ', () => {
  const before = { kind: 'Secret', data: { same: 'YQ==', changed: 'Yg==', removed: 'Yw==' } }
  const after = { kind: 'Secret', data: { same: 'YQ==', changed: 'eA==', added: 'ZA==' } }
  expect(hideValues(before, after)).toEqual([
    { kind: 'Secret', data: { same: '***', changed: '*** (before)', removed: '***' } },
    { kind: 'Secret', data: { same: '***', changed: '*** (after)', added: '***' } },
  ])
})

test.each([
  { because: 'a Secret that does not exist yet', object: { stringData: { a: 'plain-text' } } },
  { because: 'values that are not a map', object: { data: 'cGxhaW4tdGV4dA==' } },
  { because: 'values that are a list', object: { data: ['plain-text'] } },
])('no value is shown of $because', ({ object }) => {
  const shown = JSON.stringify(hideValues(undefined, object))
  expect(shown).toContain('***')
  expect(shown).not.toMatch(/plain-text|cGxhaW4tdGV4dA/)
})

test('values are removed from messages, encoded and as they are', () => {
  const object = { data: { a: 'aHVudGVyMg==', b: 'YQ==' }, stringData: { c: 'correct horse' } }
  const message = 'denied: aHVudGVyMg== hunter2 "correct horse"; a name stays'
  expect(withoutValues(message, object)).toBe('denied: *** *** "***"; a name stays')
})
