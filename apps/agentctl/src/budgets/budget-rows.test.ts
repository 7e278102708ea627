import type { AgentRun, Budget } from '@agents/jangar-api'
import { expect, test } from 'vitest'
import { budgetRows, spendingRows, spendingRuns } from './budget-rows.ts'

function budgetOf(spec: object, status: object = {}): Budget {
  return { metadata: { name: 'b', namespace: 'n' }, spec, status } as unknown as Budget
}

function runOf(name: string, status: object, change: object = {}): AgentRun {
  const { labels, ...spec } = change as { labels?: object }
  const metadata = { name, namespace: 'n', labels }
  return { metadata, spec: { agentRef: { name: 'coder' }, ...spec }, status } as unknown as AgentRun
}

test('a Budget has a row for each resource that it limits', () => {
  const limits = { tokens: '100', cpu: '2' }
  const status = {
    phase: 'Active',
    used: { tokens: '30', cpu: '500m' },
    reserved: { tokens: '10' },
    windowEndsAt: '2026-01-02T00:00:00Z',
  }
  expect(budgetRows(budgetOf({ limits }, status))).toEqual([
    ['b', 'Active', 'tokens', '100', '30', '10', '2026-01-02T00:00:00Z'],
    ['b', 'Active', 'cpu', '2', '500m', '-', '2026-01-02T00:00:00Z'],
  ])
  expect(budgetRows(budgetOf({}, { phase: 'Invalid' }))).toEqual([
    ['b', 'Invalid', '-', '-', '-', '-', '-'],
  ])
})

test('the runs of its scope and window count, with what they have used so far', () => {
  const labels = { team: 'a' }
  const scope = { labelSelector: { matchLabels: labels } }
  const status = { windowStartedAt: '2026-01-02T00:00:00Z', used: { tokens: '70' } }
  const budget = budgetOf({ limits: { tokens: '100' }, scope }, status)
  const finishedAt = '2026-01-02T01:00:00Z'
  const runs = [
    runOf('small', { usage: { totalTokens: 10 }, finishedAt, phase: 'Succeeded' }, { labels }),
    runOf(
      'running',
      {
        usage: { inputTokens: 15, outputTokens: 5 },
        progress: { totalTokens: 10, dollars: '0.5' },
      },
      { labels },
    ),
    runOf(
      'yesterday',
      { usage: { totalTokens: 9 }, finishedAt: '2026-01-01T01:00:00Z' },
      { labels },
    ),
    runOf('other', { usage: { totalTokens: 9 } }, { labels: { team: 'b' } }),
    runOf('names-it', { usage: { totalTokens: 20 } }, { policy: { budgetRef: { name: 'b' } } }),
    runOf('idle', {}, { labels }),
  ]
  expect(spendingRows(budget, spendingRuns(budget, runs))).toEqual([
    ['running', 'Pending', '30', '0.5', '-'],
    ['names-it', 'Pending', '20', '-', '-'],
    ['small', 'Succeeded', '10', '-', finishedAt],
    ['(deleted runs)', '-', '10', '-', '-'],
  ])
})
