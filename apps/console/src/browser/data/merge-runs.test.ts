import type { RunSummary } from '@agents/client'
import { describe, expect, test } from 'vitest'
import { mergeRuns } from './merge-runs.ts'

function run(name: string, second: number, more: Partial<RunSummary> = {}): RunSummary {
  const createdAt = `2030-01-01T00:00:${String(second).padStart(2, '0')}Z`
  return { kind: 'AgentRun', namespace: 'red', name, uid: name, createdAt, ...more }
}

const loaded = [run('c', 30), run('b', 20), run('a', 10)]

function names(runs: readonly RunSummary[]): string[] {
  return runs.map(({ name }) => name)
}

describe('mergeRuns', () => {
  test('gives the same list if nothing changed', () => {
    expect(mergeRuns(loaded, new Map(), {}, true)).toBe(loaded)
    expect(mergeRuns(loaded, new Map([['x', undefined]]), {}, true)).toBe(loaded)
  })

  test('puts a new run at its place, once', () => {
    const overlay = new Map([
      ['d', run('d', 40)],
      ['b2', run('b2', 20)],
    ])
    expect(names(mergeRuns(loaded, overlay, {}, true))).toEqual(['d', 'c', 'b', 'b2', 'a'])
    const again = [run('d', 40), ...loaded]
    expect(names(mergeRuns(again, overlay, {}, true))).toEqual(['d', 'c', 'b', 'b2', 'a'])
  })

  test('shows the last state, and no deleted run', () => {
    const overlay = new Map([
      ['b', run('b', 20, { phase: 'Failed' })],
      ['c', undefined],
    ])
    const merged = mergeRuns(loaded, overlay, {}, true)
    expect(names(merged)).toEqual(['b', 'a'])
    expect(merged[0]?.phase).toBe('Failed')
  })

  test('leaves an old run to the page that it belongs to', () => {
    const overlay = new Map([['old', run('old', 5)]])
    expect(names(mergeRuns(loaded, overlay, {}, false))).toEqual(['c', 'b', 'a'])
    expect(names(mergeRuns(loaded, overlay, {}, true))).toEqual(['c', 'b', 'a', 'old'])
  })

  test.each([
    { filter: { namespace: 'blue' }, matches: { namespace: 'blue' } },
    { filter: { kind: 'ToolRun' }, matches: { kind: 'ToolRun' } },
    { filter: { phase: 'Running' }, matches: { phase: 'Running' } },
    { filter: { agent: 'writer' }, matches: { of: 'writer' } },
    { filter: { label: ['team=a'] }, matches: { labels: { team: 'a' } } },
    { filter: { label: ['team'] }, matches: { labels: { team: 'b' } } },
  ])('filters changes as the API does: $filter', ({ filter, matches }) => {
    const overlay = new Map([
      ['yes', run('yes', 50, matches)],
      ['no', run('no', 51, { kind: 'OrchestrationRun', of: 'writer' })],
    ])
    expect(names(mergeRuns([], overlay, filter, true))).toEqual(['yes'])
  })

  test('drops a run that no longer matches the filter', () => {
    const overlay = new Map([['b', run('b', 20, { phase: 'Succeeded' })]])
    const running = loaded.map((each) => ({ ...each, phase: 'Running' }))
    expect(names(mergeRuns(running, overlay, { phase: 'Running' }, true))).toEqual(['c', 'a'])
  })

  test('keeps what the archive has when the cluster deletes it', () => {
    const archived = [run('b', 20, { archived: true })]
    expect(names(mergeRuns(archived, new Map([['b', undefined]]), {}, true))).toEqual(['b'])
  })

  test.each([
    { filter: { text: 'fox' }, because: 'words are in more than summaries' },
    { filter: { source: 'archive' }, because: 'changes are of the cluster' },
    { filter: { since: '2030-01-01T00:00:51Z' }, because: 'it is older' },
    { filter: { until: '2030-01-01T00:00:50Z' }, because: 'it is newer' },
  ])('adds no run to $filter, since $because', ({ filter }) => {
    const overlay = new Map([['new', run('new', 50)]])
    expect(names(mergeRuns(loaded, overlay, filter, true))).toEqual(['c', 'b', 'a'])
  })
})
