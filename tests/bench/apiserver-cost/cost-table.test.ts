import { expect, test } from 'vitest'
import { costTable, median } from './cost-table.ts'

test.each([
  { because: 'an odd number has one in the middle', values: [9, 1, 2], expected: 2 },
  { because: 'an even number has two', values: [4, 1, 2, 90], expected: 3 },
  { because: 'a single round is its own median', values: [5], expected: 5 },
])('median: $because', ({ values, expected }) => {
  expect(median(values)).toBe(expected)
})

test('the table shows the medians, and nothing where a series lacks a write', () => {
  const of = (...values: readonly number[]) =>
    values.map((value) => ({ cpuMs: value, allocatedKib: value * 100 }))
  const costs = new Map([
    [
      'shipped',
      new Map([
        ['create AgentRun', of(2.5, 2.3, 9)],
        ['first status update', of(7, 6)],
      ]),
    ],
    ['loose', new Map([['create AgentRun', of(1.5)]])],
    ['builtin', new Map([['create Event', of(1.2)]])],
  ])
  expect(costTable(costs).split('\n')).toEqual([
    '  CPU ms per write     shipped  loose  builtin',
    '  create AgentRun         2.50   1.50',
    '  first status update     6.50',
    '  create Event                            1.20',
    '  KiB allocated per write  shipped  loose  builtin',
    '  create AgentRun              250    150',
    '  first status update          650',
    '  create Event                                 120',
  ])
})
