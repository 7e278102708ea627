import { startApiServer } from '@agents/apiserver'
import { customResourceDefinition } from '@agents/crd'
import { gitTarget } from '@agents/gittarget-api'
import { agentRun } from '@agents/jangar-api'
import {
  type ClusterEvent,
  CustomResourceDefinitionKind,
  EventKind,
  type KubeObject,
  kindRef,
} from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { account, startTestApi } from './testing/test-api.ts'

const agentRuns = kindRef<KubeObject>(agentRun)
const operate = [
  {
    apiGroups: ['agents.proompteng.ai', 'tools.proompteng.ai', 'orchestration.proompteng.ai'],
    resources: ['*'],
    verbs: ['get', 'list', 'create', 'update', 'patch', 'delete'],
  },
]
const spec = {
  agentRef: { name: 'writer' },
  implementation: { inline: { text: 'x' } },
  runtime: { type: 'job' },
}

let api: Awaited<ReturnType<typeof startTestApi>>
let operator: string
let other: string

beforeAll(async () => {
  api = await startTestApi(startApiServer)
  operator = await account(api.admin, 'red', 'operator', operate)
  other = await account(api.admin, 'red', 'other', operate)
}, 120_000)

afterAll(async () => {
  await api?.stop()
})

function post(path: string, body: unknown, more: { key?: string; token?: string } = {}) {
  const { key, token = operator } = more
  return api.ask(path, {
    method: 'POST',
    token,
    headers: {
      'content-type': 'application/json',
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
}

/** The run as controllers would leave it. */
async function finish(name: string): Promise<void> {
  const run = await api.admin.get(agentRuns, { namespace: 'red', name })
  const at = new Date().toISOString().replace(/\.\d+Z/, 'Z')
  const done = (type: string) => ({
    ...{ type, status: 'True', reason: 'Succeeded', message: 'done' },
    lastTransitionTime: at,
  })
  await api.admin.update(
    agentRuns,
    {
      ...run,
      status: { phase: 'Succeeded', conditions: [done('Finished'), done('Succeeded')] },
    } as KubeObject,
    { subresource: 'status' },
  )
}

describe('submit', () => {
  test('creates a run as the caller', async () => {
    const { status, json } = await post('/v1/runs', { namespace: 'red', name: 'first', spec })
    expect(status).toBe(201)
    expect(json.run).toMatchObject({ kind: 'AgentRun', namespace: 'red', name: 'first' })
    const again = await post('/v1/runs', { namespace: 'red', name: 'first', spec })
    expect(again.status).toBe(409)
    expect((await post('/v1/runs', { namespace: 'blue', spec })).status).toBe(403)
  })

  test('a dry run checks the run and creates none', async () => {
    const body = { namespace: 'red', name: 'dry', spec }
    const { status, json } = await post('/v1/runs?dryRun=true', body)
    expect(status).toBe(200)
    expect(json.resource.spec).toMatchObject(spec)
    const refused = await post('/v1/runs?dryRun=true', { ...body, spec: {} })
    expect(refused.status).toBe(422)
    expect((await post('/v1/runs?dryRun=true', { ...body, namespace: 'blue' })).status).toBe(403)
    await expect(api.admin.get(agentRuns, { namespace: 'red', name: 'dry' })).rejects.toThrow(
      'not found',
    )
  })

  test('a hundred requests with one key make one run, in whatever order their fields are', async () => {
    const bodies = [
      { namespace: 'red', spec },
      { spec: Object.fromEntries(Object.entries(spec).toReversed()), namespace: 'red' },
    ]
    const replies = await Promise.all(
      Array.from({ length: 100 }, (_, index) => post('/v1/runs', bodies[index % 2], { key: 'k' })),
    )
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(99)
    expect(new Set(replies.map(({ json }) => json.run.uid)).size).toBe(1)
    const changed = { namespace: 'red', spec: { ...spec, agentRef: { name: 'other' } } }
    expect((await post('/v1/runs', changed, { key: 'k' })).status).toBe(409)
    // The key of one caller is not that of another.
    expect((await post('/v1/runs', changed, { key: 'k', token: other })).status).toBe(201)
  })

  test.each([
    { because: 'no spec', body: { namespace: 'red' }, status: 400 },
    { because: 'an unknown field', body: { namespace: 'red', spec, extra: 1 }, status: 400 },
    {
      because: 'a kind that is no run',
      body: { namespace: 'red', kind: 'Agent', spec },
      status: 400,
    },
    { because: 'a namespace that leaves its path', body: { namespace: '../x', spec }, status: 400 },
    {
      because: 'a name that leaves its path',
      body: { namespace: 'red', name: 'a/b', spec },
      status: 400,
    },
    { because: 'a list', body: [], status: 400 },
    {
      because: 'a field that the kind does not have',
      body: { namespace: 'red', spec: { ...spec, no: 1 } },
      status: 400,
    },
    { because: 'a spec that the kind refuses', body: { namespace: 'red', spec: {} }, status: 422 },
  ])('$because: $status', async ({ body, status }) => {
    expect((await post('/v1/runs', body)).status).toBe(status)
  })

  test.each([
    { because: 'text', headers: { 'content-type': 'text/plain' }, body: '{}', status: 415 },
    { because: 'no JSON', headers: { 'content-type': 'application/json' }, body: '{', status: 400 },
    { because: 'no body', headers: { 'content-type': 'application/json' }, body: '', status: 400 },
    {
      because: 'too much',
      headers: { 'content-type': 'application/json' },
      body: 'x'.repeat(1024 * 1024 + 1),
      status: 413,
    },
    {
      because: 'an odd key',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'a b' },
      body: JSON.stringify({ namespace: 'red', spec }),
      status: 400,
    },
  ])('a body that is $because: $status', async ({ headers, body, status }) => {
    const sent = {
      method: 'POST',
      token: operator,
      headers: headers as Record<string, string>,
      body,
    }
    expect((await api.ask('/v1/runs', sent)).status).toBe(status)
  })
})

describe('acts on a run', () => {
  test('wait returns when the run has finished, or the time is over', async () => {
    await post('/v1/runs', { namespace: 'red', name: 'awaited', spec })
    const wait = (seconds: number) =>
      api.ask(`/v1/runs/red/awaited/wait?timeoutSeconds=${seconds}`, { token: operator })
    expect((await wait(0)).json).toMatchObject({ finished: false, run: { name: 'awaited' } })
    const waiting = wait(60)
    await finish('awaited')
    expect((await waiting).json).toMatchObject({ finished: true, run: { phase: 'Succeeded' } })
    expect((await wait(60)).json.finished).toBe(true)
  })

  test('cancel asks the controller, and leaves a finished run alone', async () => {
    await post('/v1/runs', { namespace: 'red', name: 'stopped', spec })
    const { json } = await post('/v1/runs/red/stopped/cancel', undefined)
    expect(json.resource.spec.cancel).toBe(true)
    await post('/v1/runs', { namespace: 'red', name: 'over', spec })
    await finish('over')
    const late = await post('/v1/runs/red/over/cancel', undefined)
    expect(late.status).toBe(200)
    expect(late.json.resource.spec.cancel).toBeUndefined()
  })

  test('rerun copies a finished run', async () => {
    await post('/v1/runs', { namespace: 'red', name: 'again', spec, labels: { team: 'a' } })
    expect((await post('/v1/runs/red/again/rerun', undefined)).status).toBe(409)
    await finish('again')
    const { status, json } = await post('/v1/runs/red/again/rerun', undefined)
    expect(status).toBe(201)
    expect(json.run.name).toMatch(/^again-/)
    expect(json.resource).toMatchObject({ metadata: { labels: { team: 'a' } }, spec })
    expect((await post('/v1/runs/red/again/rerun', { steps: ['x'] })).status).toBe(400)
  })

  test('logs of a run without pods are not found', async () => {
    await post('/v1/runs', { namespace: 'red', name: 'quiet', spec })
    expect((await api.ask('/v1/runs/red/quiet/logs', { token: operator })).status).toBe(403)
    expect((await api.ask('/v1/runs/red/quiet/logs', { token: api.adminToken })).status).toBe(404)
  })
})

describe('objects', () => {
  const path = '/v1/objects/agentruns.agents.proompteng.ai'
  const object = {
    apiVersion: 'agents.proompteng.ai/v1alpha1',
    kind: 'AgentRun',
    metadata: { name: 'applied' },
    spec,
  }
  function put(body: unknown, at = `${path}/red/applied`) {
    const headers = { 'content-type': 'application/json' }
    return api.ask(at, { method: 'PUT', token: operator, headers, body: JSON.stringify(body) })
  }

  test('are applied, read, listed and deleted as the caller', async () => {
    expect((await put(object)).status).toBe(200)
    expect((await put(object)).status).toBe(200)
    const read = await api.ask(`${path}/red/applied`, { token: operator })
    expect(read.json.metadata.managedFields[0].manager).toBe('agents-api')
    const list = await api.ask(`${path}?namespace=red&limit=1`, { token: operator })
    expect(list.json.items).toHaveLength(1)
    expect(list.json.metadata.continue).not.toBe('')
    expect((await api.ask(path, { token: operator })).status).toBe(403)
    const gone = await api.ask(`${path}/red/applied`, { method: 'DELETE', token: operator })
    expect(gone.json).toEqual({ ok: true })
    expect((await api.ask(`${path}/red/applied`, { token: operator })).status).toBe(404)
  })

  test('a dry run of an apply changes nothing', async () => {
    const at = `${path}/red/dry-applied`
    const named = { ...object, metadata: { name: 'dry-applied' } }
    expect((await put(named, `${at}?dryRun=true`)).status).toBe(200)
    expect((await put({ ...named, spec: {} }, `${at}?dryRun=true`)).status).toBe(422)
    expect((await api.ask(at, { token: operator })).status).toBe(404)
  })

  test('are created, and never changed by that', async () => {
    const at = `${path}/red/created?create=true`
    const named = { ...object, metadata: { name: 'created' } }
    expect((await put(named, `${at}&dryRun=true`)).status).toBe(200)
    expect((await put(named, `${at}&replace=true`)).status).toBe(400)
    expect((await put(named, `${at}&force=true`)).status).toBe(400)
    expect((await put(named, at)).status).toBe(200)
    expect((await put(named, at)).status).toBe(409)
  })

  test('are replaced in the version that was read, and then lose what was left out', async () => {
    const at = `${path}/red/edited`
    const metadata = { name: 'edited', labels: { a: '1', b: '2' } }
    const { json: first } = await put({ ...object, metadata }, at)
    const edit = (labels: object, resourceVersion: string | undefined) => ({
      ...first,
      metadata: { name: 'edited', labels, resourceVersion },
    })
    const { resourceVersion } = first.metadata
    expect((await put(edit({ a: '3' }, undefined), `${at}?replace=true`)).status).toBe(400)
    const dry = await put(edit({ a: '3' }, resourceVersion), `${at}?replace=true&dryRun=true`)
    expect(dry.json.metadata.labels).toEqual({ a: '3' })
    const { status, json } = await put(edit({ a: '3' }, resourceVersion), `${at}?replace=true`)
    expect({ status, labels: json.metadata.labels }).toEqual({ status: 200, labels: { a: '3' } })
    expect((await put(edit({ a: '4' }, resourceVersion), `${at}?replace=true`)).status).toBe(409)
  })

  test.each([
    { because: 'another kind', body: { ...object, kind: 'Secret', apiVersion: 'v1' } },
    {
      because: 'another namespace',
      body: { ...object, metadata: { name: 'applied', namespace: 'blue' } },
    },
    { because: 'another name', body: { ...object, metadata: { name: 'other' } } },
    { because: 'no metadata', body: { apiVersion: object.apiVersion, kind: object.kind } },
  ])('an object with $because is refused', async ({ body }) => {
    expect((await put(body)).status).toBe(400)
  })

  test.each(['secrets', 'secrets.', 'pods', 'roles.rbac.authorization.k8s.io', 'agentruns'])(
    'of %s are not served, even to an administrator',
    async (kind) => {
      const reply = await api.ask(`/v1/objects/${kind}?namespace=red`, { token: api.adminToken })
      expect([400, 404]).toContain(reply.status)
    },
  )

  test('of the mirror are served as well, those of the cluster are not', async () => {
    await api.admin.create(CustomResourceDefinitionKind, customResourceDefinition(gitTarget))
    const { json } = await api.ask('/v1/kinds', { token: operator })
    const names = json.items.map(({ name }: { name: string }) => name)
    expect(names).toContain('gittargets.gitops.proompteng.ai')
    expect(names).not.toContain('clusterwatchrules.gitops.proompteng.ai')
    const at = '/v1/objects/gittargets.gitops.proompteng.ai?namespace=red'
    expect((await api.ask(at, { token: operator })).status).toBe(403)
    const ask = () => api.ask(at, { token: api.adminToken })
    await expect.poll(async () => (await ask()).status).toBe(200)
    const ofCluster = '/v1/objects/clusterwatchrules.gitops.proompteng.ai'
    expect((await api.ask(ofCluster, { token: api.adminToken })).status).toBe(404)
  })

  test('have events, which those see who may list events', async () => {
    const noted = (name: string, reason: string, lastTimestamp: string, involved: object) =>
      api.admin.create(EventKind, {
        ...{ apiVersion: 'v1', kind: 'Event', reason, lastTimestamp, type: 'Warning', count: 2 },
        metadata: { name, namespace: 'red' },
        involvedObject: { kind: 'AgentRun', namespace: 'red', name: 'noted', ...involved },
      } as ClusterEvent)
    const { apiVersion } = object
    await noted('a', 'First', '2030-01-01T00:00:00Z', { apiVersion })
    await noted('b', 'Second', '2030-01-01T00:00:01Z', { apiVersion })
    await noted('c', 'OfAnotherKind', '2030-01-01T00:00:02Z', { apiVersion: 'other.dev/v1' })
    await noted('d', 'OfAnotherRun', '2030-01-01T00:00:03Z', { apiVersion, name: 'quiet' })
    const at = `${path}/red/noted/events`
    expect((await api.ask(at, { token: operator })).status).toBe(403)
    const { status, json } = await api.ask(at, { token: api.adminToken })
    expect(status).toBe(200)
    expect(json.items).toMatchObject([
      { reason: 'Second', type: 'Warning', count: 2, lastAt: '2030-01-01T00:00:01Z' },
      { reason: 'First' },
    ])
  })
})
