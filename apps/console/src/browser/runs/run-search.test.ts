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

test('days are those of the reader, and the last one is included', () => {
  const search = readRunSearch({ since: '2030-03-01', until: '2030-03-01', text: 'red fox' })
  const { since = '', until = '', text } = filterOf(search)
  expect(Date.parse(until) - Date.parse(since)).toBe(24 * 60 * 60 * 1000)
  expect(new Date(since).getDate()).toBe(1)
  expect(text).toBe('red fox')
  expect(readRunSearch({ since: 'yesterday', until: '2030-3-1' })).toEqual({})
})
