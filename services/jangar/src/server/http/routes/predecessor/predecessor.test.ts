import { get } from 'node:https'
import { startApiServer } from '@agents/apiserver'
import { type Clock, systemClock } from '@agents/controller'
import { agentRun, orchestrationRun } from '@agents/jangar-api'
import { bearer, type KubeObject, kindRef } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { account, startTestApi } from '../../testing/test-api.ts'

const agentRuns = kindRef<KubeObject>(agentRun)
const graphRuns = kindRef<KubeObject>(orchestrationRun)
const groups = ['agents.proompteng.ai', 'tools.proompteng.ai', 'orchestration.proompteng.ai']
const operate = [{ apiGroups: groups, resources: ['*'], verbs: ['*'] }]
const plane = '/api/agents/control-plane'
const work = { implementation: { text: 'x' }, runtime: { type: 'job' } }
const newRun = { namespace: 'red', agentRef: { name: 'writer' }, ...work }
/** Generous, for slow machines. */
const pollOptions = { timeout: 30_000 }

/** The clock of the platform, which tests may move on. */
let ahead = 0
const clock: Clock = {
  ...systemClock,
  elapsed: () => systemClock.elapsed() + ahead,
  now: () => new Date(Date.now() + ahead),
}

let api: Awaited<ReturnType<typeof startTestApi>>
let operator: string
let other: string
let stranger: string

beforeAll(async () => {
  api = await startTestApi(startApiServer, { clock })
  operator = await account(api.admin, 'red', 'operator', operate)
  other = await account(api.admin, 'red', 'other', operate)
  stranger = await account(api.admin, 'blue', 'stranger', operate)
  const ready = () => api.ask('/v1/runs', { token: operator })
  await vi.waitFor(async () => expect((await ready()).status).toBe(200), pollOptions)
}, 120_000)

afterAll(async () => {
  await api?.stop()
})

function post(path: string, body: object, key: string, token = operator) {
  const headers = { 'content-type': 'application/json', 'idempotency-key': key }
  return api.ask(path, { method: 'POST', token, headers, body: JSON.stringify(body) })
}

async function seen(uid: string): Promise<void> {
  const find = () => api.ask(`/v1/runs/${uid}`, { token: api.adminToken })
  await vi.waitFor(async () => expect((await find()).status).toBe(200), pollOptions)
}

describe('runs', () => {
  test('a key is one of its user: the same key of another user is another run', async () => {
    const first = await post('/v1/agent-runs', newRun, 'mine')
    expect(first.status).toBe(201)
    const { agentRun: record, resource } = first.json
    expect(record).toMatchObject({ agentName: 'writer', namespace: 'red', status: 'Pending' })
    expect(record).toMatchObject({
      id: resource.metadata.uid,
      externalRunId: resource.metadata.name,
    })
    expect(resource.spec.implementation).toEqual({ inline: { text: 'x' } })
    const again = await post('/v1/agent-runs', newRun, 'mine')
    expect([again.status, again.json.agentRun.id]).toEqual([200, record.id])
    const changed = { ...newRun, agentRef: { name: 'tester' } }
    expect((await post('/v1/agent-runs', changed, 'mine')).status).toBe(409)
    const theirs = await post('/v1/agent-runs', newRun, 'mine', other)
    expect(theirs.status).toBe(201)
    expect(theirs.json.agentRun.id).not.toBe(record.id)
    expect((await post('/v1/agent-runs', newRun, 'mine', stranger)).status).toBe(403)
  })

  test('a run that starts elsewhere is none: neither fields of metadata nor other kinds', async () => {
    for (const more of [
      { metadata: { namespace: 'blue' } },
      { kind: 'OrchestrationRun' },
      { spec: {} },
      { namespace: '../blue' },
      { namespace: undefined },
    ]) {
      const reply = await post('/v1/agent-runs', { ...newRun, ...more }, 'elsewhere')
      expect([more, reply.status]).toEqual([more, 400])
      expect(reply.json).toMatchObject({ ok: false, code: 'BadRequest' })
    }
    const unknown = { ...newRun, runtime: { type: 'job', other: 1 } }
    expect((await post('/v1/agent-runs', unknown, 'elsewhere')).status).toBe(400)
  })

  test('by its uid, and who may not get it learns neither its name nor its namespace', async () => {
    const { json } = await post('/v1/agent-runs', newRun, 'by-uid')
    const { id, externalRunId: name } = json.agentRun
    await seen(id)
    const found = await api.ask(`/v1/agent-runs/${id}`, { token: operator })
    expect(found.json).toMatchObject({ ok: true, agentRun: { id }, resource: { kind: 'AgentRun' } })
    const any = await api.ask(`/v1/runs/${id}`, { token: operator })
    expect(any.json).toMatchObject({ ok: true, kind: 'agent', run: { id } })
    const otherKind = await api.ask(`/v1/orchestration-runs/${id}`, { token: operator })
    expect(otherKind.status).toBe(404)
    for (const path of ['/v1/agent-runs', '/v1/runs']) {
      const refused = await api.ask(`${path}/${id}`, { token: stranger })
      expect(refused.status).toBe(403)
      expect(refused.text).not.toContain(name)
      expect(refused.text).not.toContain('red')
    }
    // The fixed path of the API itself is beside it.
    const fixed = await api.ask(`/v1/runs/red/${name}`, { token: operator })
    expect(fixed.json.run.uid).toBe(id)
  })

  test('a list has the runs of one agent or orchestration that the caller may list', async () => {
    const { json } = await post('/v1/agent-runs', newRun, 'listed')
    await seen(json.agentRun.id)
    const list = (query: string, token = operator) => api.ask(`/v1/agent-runs?${query}`, { token })
    const mine = await list('agentName=writer')
    expect(mine.json.agentRuns.length).toBeGreaterThan(0)
    expect(new Set(mine.json.agentRuns.map(agentOf))).toEqual(new Set(['writer']))
    expect((await list('agentId=writer&limit=1')).json.agentRuns).toHaveLength(1)
    expect((await list('agentName=writer', stranger)).json).toEqual({ ok: true, agentRuns: [] })
    expect((await list('agentName=writer&namespace=red', stranger)).status).toBe(403)
    for (const query of ['', 'agentName=a&agentId=b', 'agentName=--all', 'agentName=a&limit=501']) {
      expect([query, (await list(query)).status]).toEqual([query, 400])
    }
    for (const name of ['graph', 'graph-two']) {
      const body = { namespace: 'red', orchestrationRef: { name } }
      await seen((await post('/v1/orchestration-runs', body, name)).json.orchestrationRun.id)
    }
    // The words of the shorter name are in the longer one, too.
    const path = '/v1/orchestration-runs?orchestrationName=graph'
    const graphs = await api.ask(path, { token: operator })
    expect(graphs.json.orchestrationRuns).toMatchObject([{ orchestrationName: 'graph' }])
  })
})

function agentOf({ agentName }: { readonly agentName: string }): string {
  return agentName
}

describe('resources', () => {
  test.each([
    `${plane}/resource?kind=AgentRun&namespace=red&name=--all`,
    `${plane}/resource?kind=AgentRun&namespace=red&name=../secrets/x`,
    `${plane}/resource?kind=AgentRun&namespace=red&name=..`,
    `${plane}/resource?kind=AgentRun&namespace=red/../blue&name=x`,
    `${plane}/resource?kind=AgentRun&namespace=red`,
    `${plane}/resource?kind=AgentRun&name=x`,
    `${plane}/resource?kind=Secret&namespace=red&name=x`,
    `${plane}/resource?kind=agentruns&namespace=red&name=x`,
    `${plane}/resources?kind=Secret&namespace=red`,
    `${plane}/resources?kind=AgentRun`,
    `${plane}/resources?kind=AgentRun&namespace=red&limit=501`,
    `${plane}/resources?kind=AgentRun&namespace=red&stream=1`,
    `${plane}/events?kind=Secret&namespace=red&name=x`,
    `${plane}/events?kind=AgentRun&namespace=red&name=x,involvedObject.kind=Secret`,
    `${plane}/events?kind=AgentRun&namespace=red&name=x&limit=201`,
    `${plane}/logs?namespace=red&name=x&tailLines=5001`,
    `${plane}/logs?namespace=red&name=--follow`,
    `${plane}/status`,
    `${plane}/summary`,
    `${plane}/stream`,
  ])('refuses %s, and deletes nothing', async (path) => {
    const kept = await post('/v1/agent-runs', newRun, 'kept')
    const reply = await api.ask(path, { token: operator })
    expect(reply.status).toBe(400)
    expect(reply.json).toMatchObject({ ok: false, error: expect.any(String) })
    if (path.startsWith(`${plane}/resource?`)) {
      expect((await api.ask(path, { method: 'DELETE', token: operator })).status).toBe(400)
      const { name } = kept.json.resource.metadata
      await expect(api.admin.get(agentRuns, { namespace: 'red', name })).resolves.toBeDefined()
    }
  })

  test('only ImplementationSpecs are applied', async () => {
    const body = { name: 'plan', namespace: 'red', spec: { text: 'x' } }
    for (const kind of ['Secret', 'Agent', 'AgentRun', 'implementationspec']) {
      expect((await post(`${plane}/resource`, { ...body, kind }, 'k')).status).toBe(400)
      expect((await post(`${plane}/resource?kind=${kind}`, body, 'k')).status).toBe(400)
    }
    for (const more of [{ metadata: {} }, { apiVersion: 'v1' }, { name: '--all' }]) {
      expect((await post(`${plane}/resource`, { ...body, ...more }, 'k')).status).toBe(400)
    }
  })

  test('lists have total, and say when there is more', async () => {
    for (const key of ['l-1', 'l-2', 'l-3']) await post('/v1/agent-runs', newRun, key)
    const list = (query: string, token = operator) =>
      api.ask(`${plane}/resources?kind=AgentRun&namespace=red${query}`, { token })
    const { json } = await list('&limit=2')
    expect(json.items).toHaveLength(2)
    expect(json).toMatchObject({ ok: true, kind: 'AgentRun', namespace: 'red', truncated: true })
    expect(json.total).toBeGreaterThan(2)
    expect(json.items[0]).toMatchObject({
      kind: 'AgentRun',
      spec: { agentRef: { name: 'writer' } },
    })
    const all = await list('')
    expect(all.json).toMatchObject({ total: json.total, truncated: false })
    expect((await list('&runtime=job')).json.total).toBe(json.total)
    expect((await list('&runtime=workflow')).json).toMatchObject({ total: 0, items: [] })
    expect((await list('&phase=Running')).json).toMatchObject({ total: 0, truncated: false })
    expect((await list('', stranger)).status).toBe(403)
    expect((await list('', stranger)).text).not.toContain('writer')
  })

  test('a summary counts what the caller may list, and nothing of others', async () => {
    const onlyTools = await account(api.admin, 'red', 'tools', [
      { apiGroups: groups, resources: ['toolruns'], verbs: ['list'] },
    ])
    const path = `${plane}/summary?namespace=red`
    await vi.waitFor(async () => {
      const { json } = await api.ask(path, { token: operator })
      expect(json.counts.AgentRun).toBeGreaterThan(0)
      expect(json.phases.AgentRun).toEqual({ Pending: json.counts.AgentRun })
    }, pollOptions)
    const narrow = await api.ask(path, { token: onlyTools })
    expect(narrow.json).toMatchObject({ counts: { ToolRun: 0 }, phases: { ToolRun: {} } })
    expect(Object.keys(narrow.json.counts)).toEqual(['ToolRun'])
    expect((await api.ask(path, { token: stranger })).status).toBe(403)
  })
})

/** The messages of a stream, as they come. */
function messages(path: string, token: string) {
  // biome-ignore lint/suspicious/noExplicitAny: messages of all types.
  const seenMessages: any[] = []
  const request = get(
    {
      ...{ host: '127.0.0.1', port: api.port, path, ca: api.caCertificate, agent: false },
      ...{ servername: 'localhost', headers: { authorization: bearer(token) } },
    },
    (response) => {
      let rest = ''
      response.setEncoding('utf8').on('data', (text: string) => {
        const parts = (rest + text).split('\n\n')
        rest = parts.pop() ?? ''
        for (const part of parts) {
          const [, data] = /^data: (.*)$/m.exec(part) ?? []
          seenMessages.push(data === undefined ? 'comment' : JSON.parse(data))
        }
      })
      response.on('error', () => undefined)
    },
  )
  request.on('error', () => undefined)
  return { seen: seenMessages, end: () => request.destroy() }
}

describe('the stream', () => {
  test('shows changes of one namespace, until the right is taken away', async () => {
    const rules = [{ apiGroups: groups, resources: ['agentruns'], verbs: ['list'] }]
    const reader = await account(api.admin, 'red', 'watcher', rules)
    expect((await api.ask(`${plane}/stream?namespace=blue`, { token: reader })).status).toBe(403)
    const graphs = `${plane}/stream?namespace=red&kind=OrchestrationRun`
    expect((await api.ask(graphs, { token: reader })).status).toBe(403)
    const stream = messages(`${plane}/stream?namespace=red`, reader)
    try {
      await vi.waitFor(() => expect(stream.seen).toContain('comment'), pollOptions)
      await create('red', 'shown')
      await create('blue', 'hidden')
      const names = () => stream.seen.map(({ name }) => name)
      await vi.waitFor(() => expect(names()).toContain('shown'), pollOptions)
      expect(stream.seen.find(({ name }) => name === 'shown')).toMatchObject({
        ...{ type: 'resource', kind: 'AgentRun', namespace: 'red', action: 'ADDED' },
        resource: { kind: 'AgentRun', spec: { agentRef: { name: 'writer' } } },
      })
      await api.admin.delete(agentRuns, { namespace: 'red', name: 'shown' })
      const deleted = () => stream.seen.find(({ action }) => action === 'DELETED')
      await vi.waitFor(() => expect(deleted()?.name).toBe('shown'), pollOptions)
      const bindings = '/apis/rbac.authorization.k8s.io/v1/namespaces/red/rolebindings/watcher'
      await api.admin.request({ method: 'DELETE', path: bindings })
      // So long a right counts: 5 seconds, and one second until a stream asks again.
      ahead += 7_000
      await create('red', 'late')
      const control = messages(`${plane}/stream?namespace=red`, operator)
      await vi.waitFor(() => expect(control.seen).toContain('comment'), pollOptions)
      await create('red', 'later')
      await vi.waitFor(() => expect(control.seen.at(-1)?.name).toBe('later'), pollOptions)
      control.end()
      expect(names()).not.toContain('hidden')
      expect(names()).not.toContain('late')
      expect(names()).not.toContain('later')
    } finally {
      stream.end()
    }
  }, 60_000)
})

async function create(namespace: string, name: string): Promise<void> {
  const spec = { agentRef: { name: 'writer' }, runtime: { type: 'job' } }
  await api.admin.create(agentRuns, {
    ...{ apiVersion: 'agents.proompteng.ai/v1alpha1', kind: 'AgentRun' },
    metadata: { namespace, name },
    spec: { ...spec, implementation: { inline: { text: 'x' } } },
  } as KubeObject)
}

test('too many requests are answered with when to try again', async () => {
  const slow = await api.beside({ requestRate: { perSecond: 1, burst: 1 } })
  try {
    const token = slow.adminToken
    const path = `${plane}/resources?kind=AgentRun&namespace=red`
    const replies = await Promise.all([1, 2, 3].map(() => slow.ask(path, { token })))
    const refused = replies.find(({ status }) => status === 429)
    const seconds = Number(refused?.headers['retry-after'])
    expect(seconds).toBeGreaterThan(0)
    const details = { retryAfterSeconds: seconds }
    expect(refused?.json).toMatchObject({ ok: false, code: 'TooManyRequests', details })
  } finally {
    await slow.stop()
  }
}, 60_000)

test('messages of agents are elsewhere, and it says where', async () => {
  const { status, json } = await api.ask('/api/agents/events?runId=x', { token: operator })
  expect(status).toBe(410)
  expect(json.error).toContain('/v1/runs/{namespace}/{name}/logs')
  expect((await api.ask('/api/agents/events')).status).toBe(401)
})

test('an orchestration run is found by its uid as well', async () => {
  const body = { namespace: 'red', orchestrationRef: { name: 'graph' }, parameters: { a: 'b' } }
  const { json } = await post('/v1/orchestration-runs', body, 'orchestration')
  const { id, externalRunId: name } = json.orchestrationRun
  await seen(id)
  const found = await api.ask(`/v1/runs/${id}`, { token: operator })
  expect(found.json).toMatchObject({ kind: 'orchestration', run: { orchestrationName: 'graph' } })
  await api.admin.delete(graphRuns, { namespace: 'red', name })
  const gone = () => api.ask(`/v1/orchestration-runs/${id}`, { token: operator })
  await vi.waitFor(async () => expect((await gone()).status).toBe(404), pollOptions)
})
