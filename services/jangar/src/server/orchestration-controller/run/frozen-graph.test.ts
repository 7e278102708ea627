import type { Orchestration, OrchestrationRun } from '@agents/jangar-api'
import { expect, test } from 'vitest'
import { FrozenGraphs, freeze } from './frozen-graph.ts'

function frozen(
  step: string,
): NonNullable<NonNullable<OrchestrationRun['status']>['orchestration']> {
  const spec = { steps: [{ name: step, kind: 'Checkpoint' }] }
  return freeze({ metadata: { name: 'graph', generation: 1 }, spec } as unknown as Orchestration)
}

function runIn(namespace: string, orchestration: object): OrchestrationRun {
  return { metadata: { name: 'run', namespace }, status: { orchestration } } as OrchestrationRun
}

test('a graph is read once', () => {
  const graphs = new FrozenGraphs()
  const run = runIn('a', frozen('one'))
  expect(graphs.graphOf(run)?.steps.map(({ name }) => name)).toEqual(['one'])
  expect(graphs.graphOf(structuredClone(run))).toBe(graphs.graphOf(run))
})

test('a graph with the digest of another one is refused, and does not reach other runs', () => {
  const graphs = new FrozenGraphs()
  const forged = runIn('a', { ...frozen('forged'), digest: frozen('one').digest })
  expect(() => graphs.graphOf(forged)).toThrow('the digest is not that of the graph')
  const names = graphs.graphOf(runIn('b', frozen('one')))?.steps.map(({ name }) => name)
  expect(names).toEqual(['one'])
})

test('a digest alone does not reveal the graph of another namespace', () => {
  const graphs = new FrozenGraphs()
  graphs.graphOf(runIn('b', frozen('secret')))
  const curious = runIn('a', { ...frozen('own'), digest: frozen('secret').digest })
  expect(() => graphs.graphOf(curious)).toThrow('the digest is not that of the graph')
})
