import type { ResourceCache } from '@agents/controller'
import {
  type AgentRun,
  agentRun,
  approvalRequest,
  type OrchestrationRun,
  orchestrationRun,
  toolRun,
} from '@agents/jangar-api'
import {
  type DeclaredKind,
  type KubeClient,
  type KubeObject,
  kindRef,
  type OwnerReference,
} from '@agents/kube'
import { describe, expect, test } from 'vitest'
import type { OrchestrationCaches } from '../../caches/orchestration-caches.ts'
import { childKinds } from './child-kinds.ts'
import { RunChildren } from './run-children.ts'

const run = {
  ...{ apiVersion: orchestrationRun.apiVersion, kind: 'OrchestrationRun' },
  metadata: { name: 'release', namespace: 'team', uid: 'run-1' },
  spec: { orchestrationRef: { name: 'graph' } },
} as OrchestrationRun

const owner: OwnerReference = {
  ...{ apiVersion: orchestrationRun.apiVersion, kind: 'OrchestrationRun' },
  ...{ name: 'release', uid: 'run-1', controller: true },
}

function child(name: string, reference: Partial<OwnerReference>, namespace = 'team'): KubeObject {
  const conditions = ['Finished', 'Succeeded'].map((type) => ({ type, status: 'True' }))
  return {
    ...{ apiVersion: 'v1', kind: 'any' },
    metadata: {
      ...{ name, namespace, uid: name, ownerReferences: [{ ...owner, ...reference }] },
      labels: {
        'jangar.proompteng.ai/orchestration-run': 'release',
        'jangar.proompteng.ai/orchestration-step': 'approve',
      },
    },
    status: { conditions, outputs: { decision: 'Approved', decidedBy: 'boss' } },
  }
}

/** A cache of these objects, with the indexes that are added to it. */
function cacheOf(kind: DeclaredKind, objects: readonly KubeObject[]): ResourceCache {
  const indexes = new Map<string, (object: KubeObject) => readonly string[]>()
  return {
    kind: kindRef(kind),
    resourceVersion: '1',
    get: (key: string) =>
      objects.find(({ metadata }) => `${metadata.namespace}/${metadata.name}` === key),
    addIndexers: (added: Record<string, (object: KubeObject) => readonly string[]>) => {
      for (const [name, indexer] of Object.entries(added)) indexes.set(name, indexer)
    },
    byIndex: (index: string, value: string) =>
      objects.filter((object) => indexes.get(index)?.(object).includes(value)),
    subscribe: () => ({ hasSynced: () => true, remove: () => undefined }),
  } as unknown as ResourceCache
}

function setUp(toolRuns: readonly KubeObject[], requests: readonly KubeObject[] = []) {
  const caches = {
    agentRuns: cacheOf(agentRun, []),
    toolRuns: cacheOf(toolRun, toolRuns),
    orchestrationRuns: cacheOf(orchestrationRun, []),
    approvalRequests: cacheOf(approvalRequest, requests),
  } as unknown as OrchestrationCaches
  const client = {
    list: async ({ kind }: { kind: string }) => ({
      items: kind === 'ToolRun' ? toolRuns : kind === 'ApprovalRequest' ? requests : [],
    }),
  } as unknown as KubeClient
  return new RunChildren(client, childKinds(caches))
}

describe('the children of a run', () => {
  const { signal } = new AbortController()
  const name = 'release-approve-1'

  test.each([
    { because: 'a kind of another group', forged: { apiVersion: 'example.com/v1' } },
    { because: 'another kind', forged: { kind: 'Schedule' } },
    { because: 'another name', forged: { name: 'other' } },
    { because: 'an earlier run', forged: { uid: 'run-0' } },
    { because: 'a further owner', forged: { controller: false } },
  ])('are not those that name it as $because', async ({ forged }) => {
    const children = setUp([child(name, forged)])
    expect([...children.cached(run, [])]).toEqual([])
    expect([...children.cached(run, [name])]).toEqual([])
    expect([...(await children.live(run, signal))]).toEqual([])
  })

  test('are not those of another namespace', () => {
    expect([...setUp([child(name, {}, 'elsewhere')]).cached(run, [name])]).toEqual([])
  })

  test('are known with the kinds of steps that create them', async () => {
    const children = setUp([child('check', {})], [child(name, {})])
    const kinds = { check: ['ToolRun', 'MemoryOp'], [name]: ['ApprovalGate'] }
    for (const seen of [children.cached(run, []), await children.live(run, signal)]) {
      expect(Object.fromEntries([...seen].map(([key, one]) => [key, one.stepKinds]))).toEqual(kinds)
    }
  })

  test('may name an earlier version of the API', () => {
    const apiVersion = `${orchestrationRun.group}/v1alpha0`
    const seen = setUp([], [child(name, { apiVersion })]).cached(run, [])
    expect(seen.get(name)).toMatchObject({ end: { kind: 'succeeded' } })
  })
})

test('an AgentRun that exists under the name of a child and is not controlled by the run is a conflict', async () => {
  const caches = {
    agentRuns: cacheOf(agentRun, [child('release-work-1', { apiVersion: 'example.com/v1' })]),
    ...{ toolRuns: cacheOf(toolRun, []), orchestrationRuns: cacheOf(orchestrationRun, []) },
    approvalRequests: cacheOf(approvalRequest, []),
  } as unknown as OrchestrationCaches
  const children = new RunChildren({} as KubeClient, childKinds(caches))
  const inputs = { agentRef: { name: 'coder' } } as unknown as AgentRun['spec']
  const step = { name: 'work', kind: 'AgentRun' } as never
  const wanted = { name: 'release-work-1', step, attempt: 1, inputs: { ...inputs } }
  expect(await children.create(run, wanted, new AbortController().signal)).toMatchObject({
    ...{ kind: 'refused', reason: 'ChildConflict' },
    message: expect.stringContaining('OrchestrationRun release of example.com/v1'),
  })
})
