import { expect, test } from 'vitest'
import { renderTable } from './server-table.ts'

const table = {
  columnDefinitions: [{ name: 'Name' }, { name: 'Ready' }, { name: 'Message', priority: 1 }],
  rows: [
    {
      cells: ['first', 'True', 'all\n  is well'],
      object: { metadata: { name: 'first', namespace: 'team' } },
    },
    { cells: ['second', null, ''], object: { metadata: { name: 'second', namespace: 'team' } } },
  ],
}
const look = { wide: false, namespaces: false, headers: true }

test.each([
  {
    because: 'columns of low priority are for wide',
    look,
    text: 'NAME     READY\nfirst    True\nsecond\n',
  },
  {
    because: 'a row is a line, whatever it holds',
    look: { ...look, wide: true, headers: false },
    text: 'first    True   all is well\nsecond\n',
  },
  {
    because: 'several namespaces and kinds are told apart',
    look: { ...look, namespaces: true, prefix: 'run/' },
    text: 'NAMESPACE   NAME         READY\nteam        run/first    True\nteam        run/second\n',
  },
])('$because', ({ look: how, text }) => {
  expect(renderTable(table, how)).toBe(text)
})

test('rows that come later stand below those before, and make room where they need more', () => {
  const widths: number[] = []
  const one = (...cells: string[]) => ({ ...table, rows: [{ cells }] })
  expect(renderTable(table, { ...look, widths })).toContain('NAME     READY\n')
  const later = { ...look, headers: false, widths }
  expect(renderTable(one('a', 'False', ''), later)).toBe('a        False\n')
  expect(renderTable(one('the-longest', 'True', ''), later)).toBe('the-longest   True\n')
  expect(renderTable(one('a', 'True', ''), later)).toBe('a             True\n')
})
