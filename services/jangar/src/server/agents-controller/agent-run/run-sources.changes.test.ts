import type { ChangeHandlers } from '@agents/controller'
import type { ConfigMap, KubeObject, Pod } from '@agents/kube'
import { expect, test } from 'vitest'
import type { AgentsCaches } from '../agents-caches.ts'
import { runSources } from './run-sources.ts'

/** The runs that are looked at for a change; `agents/waiting` waits for something. */
const lookedAtFor = <T extends KubeObject>(
  source: string,
  change: (handlers: ChangeHandlers<T>) => void,
): string[] => {
  const subscribed: ChangeHandlers<T>[] = []
  const caches = new Proxy({}, { get: (_, plural) => cache(String(plural).toLowerCase()) })
  const cache = (plural: string) => ({
    kind: { plural },
    addIndexers: () => undefined,
    byIndex: () => [{ metadata: { namespace: 'agents', name: 'waiting' } }],
    subscribe: (handlers: ChangeHandlers<T>) => {
      subscribed.push(handlers)
      return { hasSynced: () => true, remove: () => undefined }
    },
  })
  const looked: string[] = []
  const sources = runSources(caches as AgentsCaches)
  sources.find(({ name }) => name === source)?.start((key) => looked.push(key))
  for (const handlers of subscribed) change(handlers)
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
  expect(lookedAtFor<Pod>('pods', ({ onAdd }) => onAdd(of, false))).toEqual(looked)
})

const configMap = (resourceVersion: string, data: Record<string, string>): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'prompts', namespace: 'agents', resourceVersion },
  data,
})

test.each([
  {
    because: 'it has the key that was missing',
    after: configMap('2', { text: '', more: '' }),
    looked: ['agents/waiting'],
  },
  {
    because: 'a key has gone',
    after: configMap('2', {}),
    looked: ['agents/waiting'],
  },
  {
    because: 'only a value is another, as every few seconds in a lock',
    after: configMap('2', { text: '' }),
    looked: [],
  },
])('a ConfigMap that is changed wakes those who wait or not: $because', ({ after, looked }) => {
  const before = configMap('1', { text: '' })
  expect(lookedAtFor<ConfigMap>('configmaps', ({ onUpdate }) => onUpdate(before, after))).toEqual(
    looked,
  )
})
