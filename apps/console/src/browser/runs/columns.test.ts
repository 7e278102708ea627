import { expect, test } from 'vitest'
import { gridOf, readColumns, usual } from './columns.ts'

test.each([
  ['nothing', '', usual],
  ['a choice, in any order', 'why,phase,name', ['phase', 'name', 'why']],
  ['one that leaves out the name', 'phase', ['phase', 'name']],
  ['what no version knows', 'constructor,,x', ['name']],
])('readColumns reads %s', (_what, text, expected) => {
  expect(readColumns(text)).toEqual(expected)
})

test('each column has a width', () => {
  expect(gridOf(['phase', 'name'])).toBe('16px 116px minmax(150px, 1.6fr)')
})
