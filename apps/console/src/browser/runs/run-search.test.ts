import { expect, test } from 'vitest'
import { filterOf, readRunSearch } from './run-search.ts'

test('an address becomes filters, and what is not one is left out', () => {
  const search = {
    phase: 'Running',
    agent: 7,
    label: 'a=b, c,,',
    kind: '',
    other: 'x',
    namespace: [],
  }
  const read = readRunSearch(search)
  expect(read).toEqual({ phase: 'Running', agent: '7', label: 'a=b, c,,' })
  expect(filterOf(read)).toEqual({ phase: 'Running', agent: '7', label: ['a=b', 'c'] })
  expect(filterOf({ label: ' , ' })).toEqual({})
})
