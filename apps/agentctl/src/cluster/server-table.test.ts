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
