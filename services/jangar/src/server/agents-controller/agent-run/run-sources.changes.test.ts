import type { ChangeHandlers } from '@agents/controller'
import type { ConfigMap, KubeObject, Pod } from '@agents/kube'
import { expect, test } from 'vitest'
import type { AgentsPorts } from '../ports.ts'
import { runSources } from './run-sources.ts'

/** The keys of the runs that a change requeues. `agents/waiting` waits for a dependency. */
function lookedAtFor<T extends KubeObject>(
  source: string,
  change: (handlers: ChangeHandlers<T>) => void,
): string[] {
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
  const sources = runSources(caches as AgentsPorts['caches'])
  sources.find(({ name }) => name === source)?.start((key) => looked.push(key))
  for (const handlers of subscribed) change(handlers)
  return looked
}

function pod(status: object): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'fix-job-x',
      namespace: 'agents',
      labels: { 'agents.proompteng.ai/agent-run': 'fix' },
    },
    spec: { containers: [] },
    status,
  }
}

function withState(state: object): Pod {
  return pod({ containerStatuses: [{ name: 'agent-runner', state }] })
}

test.each([
  { because: 'it has not started', of: pod({}), looked: [] },
  {
    because: 'it started before it was observed',
    of: withState({ running: { startedAt: '2026-03-01T00:00:00Z' } }),
    looked: ['agents/fix'],
  },
  {
    because: 'its container cannot start, which the status must show',
    of: withState({ waiting: { reason: 'ImagePullBackOff' } }),
    looked: ['agents/fix'],
  },
  { because: 'its Job reports its end', of: pod({ phase: 'Succeeded' }), looked: [] },
])(
  'a pod that is observed for the first time requeues its run or not: $because',
  ({ of, looked }) => {
    expect(lookedAtFor<Pod>('pods', ({ onAdd }) => onAdd(of, false))).toEqual(looked)
  },
)

function configMap(resourceVersion: string, data: Record<string, string>): ConfigMap {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'prompts', namespace: 'agents', resourceVersion },
    data,
  }
}

test.each([
  {
    because: 'it has the missing key',
    after: configMap('2', { text: '', more: '' }),
    looked: ['agents/waiting'],
  },
  {
    because: 'a key was removed',
    after: configMap('2', {}),
    looked: ['agents/waiting'],
  },
  {
    because: 'only a value changed, as in a lock every few seconds',
    after: configMap('2', { text: '' }),
    looked: [],
  },
])('a changed ConfigMap requeues waiting runs or not: $because', ({ after, looked }) => {
  const before = configMap('1', { text: '' })
  expect(lookedAtFor<ConfigMap>('configmaps', ({ onUpdate }) => onUpdate(before, after))).toEqual(
    looked,
  )
})
