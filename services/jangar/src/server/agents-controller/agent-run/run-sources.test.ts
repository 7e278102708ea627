import type { AgentRun } from '@agents/jangar-api'
import type { Indexer } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import type { AgentsCaches } from '../agents-caches.ts'
import { runSources } from './run-sources.ts'

/** Whether something that comes, changes or goes in the namespace is a reason to look at the run. */
function isWoken(status: object): boolean {
  const indexers: Record<string, Indexer<AgentRun>> = {}
  const cache = {
    kind: { plural: 'any' },
    addIndexers: (more: object) => Object.assign(indexers, more),
  }
  runSources(new Proxy({}, { get: () => cache }) as AgentsCaches)
  const run = { metadata: { namespace: 'n', name: 'a' }, status } as AgentRun
  return Object.values(indexers).some((indexer) => indexer(run).includes('n'))
}

const yes = (...types: string[]) => ({
  conditions: types.map((type) => ({ type, status: 'True' })),
})
const task = (phase: string) => ({ runtimeRef: { type: 'job', task: { phase } } })
const steps = (...phases: string[]) => ({
  runtimeRef: { type: 'workflow' },
  workflow: { steps: phases.map((phase) => ({ phase })) },
})

describe('what a run refers to wakes it', () => {
  test.each([
    { because: 'nobody has looked at it', status: {}, woken: true },
    { because: 'it waits to be accepted', status: { conditions: [] }, woken: true },
    { because: 'in the queue it asks when its turn comes', status: yes('Accepted'), woken: false },
    {
      because: 'at work it has what it needs',
      status: { ...yes('Accepted', 'Admitted', 'Started'), ...task('Running') },
      woken: false,
    },
    {
      because: 'it cannot be handed over before that comes',
      status: yes('Accepted', 'Admitted'),
      woken: true,
    },
    {
      because: 'its next attempt may need what has gone since',
      status: { ...yes('Accepted', 'Admitted', 'Started'), ...task('Retrying') },
      woken: true,
    },
    {
      because: 'a step is at work',
      status: {
        ...yes('Accepted', 'Admitted', 'Started'),
        ...steps('Succeeded', 'Running', 'Pending'),
      },
      woken: false,
    },
    {
      because: 'its next step may need what has gone since',
      status: { ...yes('Accepted', 'Admitted', 'Started'), ...steps('Succeeded', 'Pending') },
      woken: true,
    },
    {
      because: 'nothing helps or harms it any more',
      status: { ...yes('Accepted', 'Admitted', 'Started', 'Finished'), ...task('Failed') },
      woken: false,
    },
  ])('$because: $woken', ({ status, woken }) => {
    expect(isWoken(status)).toBe(woken)
  })
})
