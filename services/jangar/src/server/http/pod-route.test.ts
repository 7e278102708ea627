import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startApiServer } from '@agents/apiserver'
import { systemClock } from '@agents/controller'
import { agentRun } from '@agents/jangar-api'
import { bearer, ConfigMapKind, JobKind, type KubeObject, kindRef, PodKind } from '@agents/kube'
import { silentLogger } from '@agents/log'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApp } from './app.ts'
import type { Route } from './route.ts'
import { account, startTestApi, tokenOf } from './testing/test-api.ts'

let api: Awaited<ReturnType<typeof startTestApi>>
let url: string
const server = createServer()
const podAudience = 'agents.proompteng.ai'

beforeAll(async () => {
  api = await startTestApi(startApiServer)
  const route: Route = {
    access: 'pod',
    method: 'GET',
    path: '/v1/own-run',
    id: 'ownRun',
    summary: 'The run of the calling pod.',
    description: 'For this test.',
    answers: { 200: { description: 'The run.' } },
    handle: (_request, pod) => ({ json: pod }),
  }
  server.on(
    'request',
    createApp({
      routes: [route],
      authenticate: () => Promise.reject(new Error('callers have no route')),
      client: api.admin,
      clock: systemClock,
      log: silentLogger,
      closing: new AbortController().signal,
    }),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/own-run`
  await account(api.admin, 'red', 'runner', [])
}, 120_000)

afterAll(async () => {
  server.close()
  await api?.stop()
})

async function ask(token: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(url, { headers: { authorization: bearer(token) } })
  return { status: response.status, body: await response.json() }
}

const container = { name: 'main', image: 'none' }

async function createPod(name: string, owner: object | undefined): Promise<void> {
  const ownerReferences = owner === undefined ? [] : [{ ...owner, controller: true }]
  await api.admin.create(PodKind, {
    ...{ apiVersion: 'v1', kind: 'Pod' },
    metadata: { name, namespace: 'red', ownerReferences },
    spec: { serviceAccountName: 'runner', containers: [container] },
  } as never)
}

async function createJob(name: string, owner: object): Promise<KubeObject> {
  return await api.admin.create(JobKind, {
    ...{ apiVersion: 'batch/v1', kind: 'Job' },
    metadata: { name, namespace: 'red', ownerReferences: [{ ...owner, controller: true }] },
    spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } } },
  } as never)
}

function ownerOf({ apiVersion, kind, metadata: { name, uid } }: KubeObject) {
  return { apiVersion, kind, name, uid }
}

test('a pod of a run is known by its token, and its run by its owners', async () => {
  const run = await api.admin.create(kindRef<KubeObject>(agentRun), {
    ...{ apiVersion: 'agents.proompteng.ai/v1alpha1', kind: 'AgentRun' },
    metadata: { name: 'one', namespace: 'red' },
    spec: {
      agentRef: { name: 'writer' },
      implementation: { inline: { text: 'x' } },
      runtime: { type: 'job' },
    },
  } as KubeObject)
  await createPod('worker', ownerOf(await createJob('job-one', ownerOf(run))))
  const token = await tokenOf(api.admin, 'red', 'runner', { audience: podAudience, pod: 'worker' })
  expect(await ask(token)).toMatchObject({
    status: 200,
    body: {
      namespace: 'red',
      serviceAccount: 'runner',
      name: 'worker',
      run: { group: 'agents.proompteng.ai', kind: 'AgentRun', name: 'one', uid: run.metadata.uid },
    },
  })
})

test('other tokens are refused', async () => {
  const other = await api.admin.create(ConfigMapKind, {
    ...{ apiVersion: 'v1', kind: 'ConfigMap' },
    metadata: { name: 'one', namespace: 'red' },
  })
  await createPod('stray', undefined)
  await createPod('foreign', ownerOf(await createJob('job-foreign', ownerOf(other))))
  // The kinds of other groups may be called the same.
  const { uid = '' } = other.metadata
  const alien = { apiVersion: 'example.com/v1', kind: 'AgentRun', name: 'one', uid }
  const job = await createJob('job-alien', alien)
  await createPod('alien', ownerOf(job))
  await createPod('of-alien', { ...ownerOf(job), apiVersion: 'example.com/v1' })
  const bound = (pod: string, audience?: string) =>
    tokenOf(api.admin, 'red', 'runner', { pod, ...(audience && { audience }) })
  const statusOf = async (token: Promise<string>) => (await ask(await token)).status
  expect(await statusOf(bound('stray', podAudience))).toBe(403)
  expect(await statusOf(bound('foreign', podAudience))).toBe(403)
  expect(await statusOf(bound('alien', podAudience))).toBe(403)
  expect(await statusOf(bound('of-alien', podAudience))).toBe(403)
  expect(await statusOf(bound('stray', 'someone-else'))).toBe(401)
  // A token for the API server is not one for this API, and that of a pod not one for routes of callers.
  expect(await statusOf(bound('stray'))).toBe(401)
  expect(await statusOf(tokenOf(api.admin, 'red', 'runner', { audience: podAudience }))).toBe(403)
  const pods = await bound('stray', podAudience)
  expect((await api.ask('/v1/runs', { token: pods })).status).toBe(401)
})
