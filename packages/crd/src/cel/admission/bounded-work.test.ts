import { expect, test } from 'vitest'
import { runPolicy } from './testing/policy-run.ts'

const items = Array.from({ length: 2000 }, () => ({ name: 'n', tags: ['a', 'b', 'c'] }))
const object = { items, text: 'a'.repeat(500_000) }
const oldObject = structuredClone(object)

// These cost few units: a comparison of two objects costs one, whatever their size.
test.each([
  'lists.range(1000).all(i, object == oldObject)',
  'lists.range(1000).all(i, object.items == oldObject.items)',
  "lists.range(1000).all(i, {'a': object} == {'a': oldObject})",
  'lists.range(1000).all(i, [object] == [oldObject])',
  'lists.range(1000).all(i, !(object.items in oldObject.items.map(x, [object])))',
])('%s is stopped', (source) => {
  expect(runPolicy(source, { object, oldObject }).outcome).toEqual({
    kind: 'error',
    error: `expression '${source}' resulted in error: operation cancelled: actual cost limit exceeded`,
  })
})

test.each([
  'object == oldObject && object.items == oldObject.items',
  'lists.range(1000).all(i, object == object)',
  'lists.range(1000).all(i, object.text.size() == 500000)',
  'object.items.all(i, object.items.size() == 2000)',
])('%s is not', (source) => {
  const { outcome } = runPolicy(source, { object, oldObject })
  expect(outcome).toEqual({ kind: 'value', value: true })
})

test('a variable has a limit of its own', () => {
  const variables = { same: 'object == oldObject' }
  const source = 'variables.same && lists.range(20).all(i, object == oldObject)'
  expect(runPolicy(source, { object, oldObject }, variables).outcome).toEqual({
    kind: 'value',
    value: true,
  })
})
