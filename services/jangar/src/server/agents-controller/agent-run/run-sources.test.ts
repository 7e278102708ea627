import type { AgentRun } from '@agents/jangar-api'
import type { Indexer } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import type { AgentsPorts } from '../ports.ts'
import { runSources } from './run-sources.ts'

/** Whether a change of another object in the namespace requeues the run. */
function isWoken(status: object): boolean {
  const indexers: Record<string, Indexer<AgentRun>> = {}
  const cache = {
    kind: { plural: 'any' },
    addIndexers: (more: object) => Object.assign(indexers, more),
  }
  runSources(new Proxy({}, { get: () => cache }) as AgentsPorts['caches'])
  const run = { metadata: { namespace: 'n', name: 'a' }, status } as AgentRun
  return Object.values(indexers).some((indexer) => indexer(run).includes('n'))
}

function yes(...types: string[]) {
  return {
    conditions: types.map((type) => ({ type, status: 'True' })),
  }
}

function task(phase: string) {
  return { runtimeRef: { type: 'job', task: { phase } } }
}

function steps(...phases: string[]) {
  return {
    runtimeRef: { type: 'workflow' },
    workflow: { steps: phases.map((phase) => ({ phase })) },
  }
}

describe('a dependency requeues a run', () => {
  test.each([
    { because: 'it was not reconciled yet', status: {}, woken: true },
    { because: 'it waits to be accepted', status: { conditions: [] }, woken: true },
    {
      because: 'a queued run is resolved when its turn comes',
      status: yes('Accepted'),
      woken: false,
    },
    {
      because: 'a running run needs nothing more',
      status: { ...yes('Accepted', 'Admitted', 'Started'), ...task('Running') },
      woken: false,
    },
    {
      because: 'its Job cannot be created without the dependency',
      status: yes('Accepted', 'Admitted'),
      woken: true,
    },
    {
      because: 'its next attempt may need a deleted object',
      status: { ...yes('Accepted', 'Admitted', 'Started'), ...task('Retrying') },
      woken: true,
    },
    {
      because: 'a step is running',
      status: {
        ...yes('Accepted', 'Admitted', 'Started'),
        ...steps('Succeeded', 'Running', 'Pending'),
      },
      woken: false,
    },
    {
      because: 'its next step may need a deleted object',
      status: { ...yes('Accepted', 'Admitted', 'Started'), ...steps('Succeeded', 'Pending') },
      woken: true,
    },
    {
      because: 'a finished run needs nothing',
      status: { ...yes('Accepted', 'Admitted', 'Started', 'Finished'), ...task('Failed') },
      woken: false,
    },
  ])('$because: $woken', ({ status, woken }) => {
    expect(isWoken(status)).toBe(woken)
  })
})
