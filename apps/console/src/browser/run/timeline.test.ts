import { expect, test } from 'vitest'
import { barOf, timelineOf } from './timeline.ts'

function at(second: number): string {
  return `2030-01-01T00:00:${String(second).padStart(2, '0')}Z`
}

test('a run has its gates, each since the one before, and its work', () => {
  const condition = (type: string, status: string, second: number) => ({
    ...{ type, status, lastTransitionTime: at(second), message: `${type} is ${status}` },
  })
  const run = (admitted: string) => ({
    ...{ apiVersion: 'v1', kind: 'AgentRun' },
    metadata: { name: 'r', creationTimestamp: at(0) },
    status: {
      conditions: [condition('Accepted', 'True', 1), condition('Admitted', admitted, 4)],
      ...(admitted === 'True' && {
        startedAt: at(5),
        finishedAt: at(9),
        attempts: 2,
        phase: 'Failed',
      }),
    },
  })
  expect(timelineOf(run('True')).map(({ name, from, to, note }) => [name, from, to, note])).toEqual(
    [
      ['Accepted', at(0), at(1), undefined],
      ['Admitted', at(1), at(4), undefined],
      ['Work', at(5), at(9), '2 attempts'],
    ],
  )
  expect(timelineOf(run('False')).at(-1)).toMatchObject({
    ...{ name: 'Admitted', from: at(1), to: undefined, note: 'Admitted is False' },
  })
})

test('the steps of an OrchestrationRun are in the order in which they began, with their attempts', () => {
  const rows = timelineOf({
    ...{ apiVersion: 'v1', kind: 'OrchestrationRun', metadata: { name: 'r' } },
    status: {
      stepStatuses: [
        { name: 'second', phase: 'Running', startedAt: at(6) },
        { name: 'not yet', phase: 'Pending' },
        {
          ...{ name: 'first', phase: 'Succeeded', attempt: 2, startedAt: at(3), finishedAt: at(5) },
          attempts: [{ attempt: 1, startedAt: at(1), finishedAt: at(2), message: 'lost' }],
        },
      ],
    },
  })
  expect(rows.map(({ name, from, to, phase, note }) => [name, from, to, phase, note])).toEqual([
    ['first', at(1), at(5), 'Succeeded', undefined],
    ['attempt 1', at(1), at(2), 'Failed', 'lost'],
    ['attempt 2', at(3), at(5), 'Succeeded', undefined],
    ['second', at(6), undefined, 'Running', undefined],
  ])
})

test.each([
  ['a part', { from: at(2), to: at(5) }, { left: 20, width: 30 }],
  ['what lasts', { from: at(5), to: undefined }, { left: 50, width: 50 }],
  ['a moment at the end', { from: at(10), to: at(10) }, { left: 99, width: 1 }],
  ['what has not begun', { from: undefined, to: undefined }, { left: 0, width: 0 }],
])('the bar of %s', (_what, row, bar) => {
  expect(barOf(row, [Date.parse(at(0)), Date.parse(at(10))])).toEqual(bar)
})
