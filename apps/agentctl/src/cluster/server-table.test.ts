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
const format = { wide: false, namespaces: false, headers: true }

test.each([
  {
    because: 'columns of low priority are only shown with wide',
    format,
    text: 'NAME     READY\nfirst    True\nsecond\n',
  },
  {
    because: 'a row is one line, whatever it contains',
    format: { ...format, wide: true, headers: false },
    text: 'first    True   all is well\nsecond\n',
  },
  {
    because: 'namespaces and kinds are shown if there are several',
    format: { ...format, namespaces: true, prefix: 'run/' },
    text: 'NAMESPACE   NAME         READY\nteam        run/first    True\nteam        run/second\n',
  },
])('$because', ({ format: how, text }) => {
  expect(renderTable(table, how)).toBe(text)
})

test('later rows are aligned with earlier ones, and widen columns if needed', () => {
  const widths: number[] = []
  const one = (...cells: string[]) => ({ ...table, rows: [{ cells }] })
  expect(renderTable(table, { ...format, widths })).toContain('NAME     READY\n')
  const later = { ...format, headers: false, widths }
  expect(renderTable(one('a', 'False', ''), later)).toBe('a        False\n')
  expect(renderTable(one('the-longest', 'True', ''), later)).toBe('the-longest   True\n')
  expect(renderTable(one('a', 'True', ''), later)).toBe('a             True\n')
})
