import { startApiServer } from '@agents/apiserver'
import { agentRun } from '@agents/jangar-api'
import { type KubeObject, kindRef, LeaseKind } from '@agents/kube'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { account, startTestApi } from './testing/test-api.ts'

interface Found {
  readonly about: string
  readonly verdict: string
  readonly says: string
}

/** As the chart names it. */
const lease = { namespace: 'blue', name: 'agents-controllers' }
let api: Awaited<ReturnType<typeof startTestApi>>

beforeAll(async () => {
  api = await startTestApi(startApiServer, { controllers: { lease } })
  for (const namespace of ['red', 'blue']) {
    await api.admin.create(kindRef<KubeObject>(agentRun), {
      ...{ apiVersion: 'agents.proompteng.ai/v1alpha1', kind: 'AgentRun' },
      metadata: { name: `run-of-${namespace}`, namespace },
      spec: {
        agentRef: { name: 'writer' },
        implementation: { inline: { text: 'x' } },
        runtime: { type: 'job' },
      },
    } as KubeObject)
  }
}, 120_000)

afterAll(async () => {
  await api?.stop()
})

test('the findings name kinds that are missing, with what to do', async () => {
  const found = await findings(api.adminToken)
  expect(found.get('API server')).toMatchObject({ verdict: 'good' })
  // The cluster of this test has the kinds of runs only.
  expect(found.get('kinds')).toMatchObject({
    ...{ verdict: 'bad', says: expect.stringMatching(/^not installed: .*Orchestration,/) },
    advice: [expect.stringContaining('kubectl apply')],
  })
  expect(found.get('controllers')).toMatchObject({ verdict: 'bad' })
  expect(found.get('permissions')).toMatchObject({ verdict: 'good' })
})

test('what a caller may not read is not checked, and nothing of it is shown', async () => {
  const token = await account(api.admin, 'red', 'nobody', [])
  const { text } = await api.ask('/v1/doctor?namespace=red', { token })
  expect(text).not.toContain('run-of-')
  const found = await findings(token)
  expect(found.get('kinds')).toMatchObject({
    ...{ verdict: 'doubtful', says: expect.stringContaining('you are not allowed to list') },
  })
  expect(found.get('controllers')).toMatchObject({
    verdict: 'doubtful',
    says: 'not checked: you are not allowed to get Lease blue/agents-controllers',
  })
  expect(found.get('reconciliation')).toMatchObject({
    verdict: 'doubtful',
    says: expect.stringMatching(/^not checked: you are not allowed to list .*AgentRun/),
  })
  expect(found.get('permissions')).toMatchObject({ verdict: 'bad' })
})

test('the leader is found by the Lease of the control plane', async () => {
  await api.admin.create(LeaseKind, {
    ...{ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: lease },
    spec: {
      ...{ holderIdentity: 'pod-1', leaseDurationSeconds: 60 },
      renewTime: new Date().toISOString().replace('Z', '000Z'),
    },
  } as never)
  expect((await findings(api.adminToken)).get('controllers')).toMatchObject({
    ...{ verdict: 'good', says: 'pod-1 is running (Lease blue/agents-controllers)' },
  })
  const rules = [{ apiGroups: ['*'], resources: ['leases'], verbs: ['get'] }]
  const reader = await findings(await account(api.admin, 'blue', 'lease-reader', rules))
  expect(reader.get('controllers')).toMatchObject({ verdict: 'good' })
})

test('what was examined in one namespace only is not said of all', async () => {
  const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: ['list'] }]
  const found = await findings(await account(api.admin, 'red', 'lists-all', rules))
  const { says } = found.get('reconciliation') ?? { says: '' }
  // The kind of the whole cluster is not in reach of a Role.
  expect(says).toBe('not checked: you are not allowed to list ClusterWatchRule')
})

test('queues count the runs that the caller may list', async () => {
  const open = { kind: 'AgentRun', waiting: 1, running: 0, unreconciled: 1 }
  const queues = async (token: string) => (await api.ask('/v1/queues', { token })).json?.queues
  await expect
    .poll(() => queues(api.adminToken))
    .toEqual([
      { ...open, namespace: 'blue' },
      { ...open, namespace: 'red' },
    ])
  const rules = [{ apiGroups: ['*'], resources: ['agentruns'], verbs: ['list'] }]
  const red = await account(api.admin, 'red', 'lister', rules)
  expect(await queues(red)).toEqual([{ ...open, namespace: 'red' }])
  expect(await queues(await account(api.admin, 'blue', 'nothing', []))).toEqual([])
})

test('one caller cannot have the platform examined many times at once', async () => {
  const busy = await account(api.admin, 'red', 'busy', [])
  const ask = (token: string) => api.ask('/v1/doctor?namespace=red', { token })
  const many = Promise.all(Array.from({ length: 20 }, () => ask(busy)))
  expect((await ask(api.adminToken)).status).toBe(200)
  const statuses = (await many).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([200, 429]))
  expect((await ask(busy)).status).toBe(200)
})

async function findings(token: string): Promise<ReadonlyMap<string, Found>> {
  const { status, json } = await api.ask('/v1/doctor?namespace=red', { token })
  expect(status).toBe(200)
  return new Map(json.findings.map((each: Found) => [each.about, each]))
}
