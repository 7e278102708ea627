import type { ChangeHandlers } from '@agents/controller'
import type { Pod } from '@agents/kube'
import { expect, test } from 'vitest'
import type { AgentsCaches } from '../agents-caches.ts'
import { runSources } from './run-sources.ts'

/** The runs that are looked at when a pod is seen for the first time. */
const lookedAtFor = (pod: Pod): string[] => {
  const subscribed: ChangeHandlers<Pod>[] = []
  const cache = {
    kind: { plural: 'others' },
    addIndexers: () => undefined,
    subscribe: (handlers: ChangeHandlers<Pod>) => {
      subscribed.push(handlers)
      return { hasSynced: () => true, remove: () => undefined }
    },
  }
  const looked: string[] = []
  const sources = runSources(new Proxy({}, { get: () => cache }) as AgentsCaches)
  sources.find(({ name }) => name === 'pods')?.start((key) => looked.push(key))
  for (const { onAdd } of subscribed) onAdd(pod, false)
  return looked
}

const pod = (status: object): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'fix-job-x',
    namespace: 'agents',
    labels: { 'agents.proompteng.ai/agent-run': 'fix' },
  },
  spec: { containers: [] },
  status,
})
const withState = (state: object): Pod =>
  pod({ containerStatuses: [{ name: 'agent-runner', state }] })

test.each([
  { because: 'most begin later', of: pod({}), looked: [] },
  {
    because: 'it began while nobody watched',
    of: withState({ running: { startedAt: '2026-03-01T00:00:00Z' } }),
    looked: ['agents/fix'],
  },
  {
    because: 'it is in trouble, and people are to be told',
    of: withState({ waiting: { reason: 'ImagePullBackOff' } }),
    looked: ['agents/fix'],
  },
  { because: 'its Job tells of its end', of: pod({ phase: 'Succeeded' }), looked: [] },
])('a pod that is seen for the first time wakes its run or not: $because', ({ of, looked }) => {
  expect(lookedAtFor(of)).toEqual(looked)
})
