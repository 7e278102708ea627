import { connect } from 'node:tls'
import { startApiServer } from '@agents/apiserver'
import { agentRun, toolRun } from '@agents/jangar-api'
import { type KubeObject, kindRef } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { apiDescription } from './api-description.ts'
import { account, startTestApi, tokenOf } from './testing/test-api.ts'

const groups = ['agents.proompteng.ai', 'tools.proompteng.ai', 'orchestration.proompteng.ai']
const runs = ['agentruns', 'toolruns', 'orchestrationruns']
const read = [{ apiGroups: groups, resources: runs, verbs: ['get', 'list'] }]
/** Generous, for slow machines. */
const pollOptions = { timeout: 30_000 }

let api: Awaited<ReturnType<typeof startTestApi>>
let reader: string
let nobody: string

beforeAll(async () => {
  api = await startTestApi(startApiServer)
  reader = await account(api.admin, 'red', 'reader', read)
  nobody = await account(api.admin, 'blue', 'nobody', [])
  const agentRuns = kindRef<KubeObject>(agentRun)
  const toolRuns = kindRef<KubeObject>(toolRun)
  const create = (kind: typeof agentRuns, namespace: string, name: string, spec: object) =>
    api.admin.create(kind, {
      apiVersion: `${kind.group}/${kind.version}`,
      kind: kind.kind,
      metadata: { namespace, name, labels: { team: namespace } },
      spec,
    } as KubeObject)
  const task = {
    agentRef: { name: 'writer' },
    implementation: { inline: { text: 'x' } },
    runtime: { type: 'job' },
  }
  await create(agentRuns, 'red', 'one', task)
  await create(agentRuns, 'red', 'two', { ...task, agentRef: { name: 'tester' } })
  await create(agentRuns, 'blue', 'three', task)
  await create(toolRuns, 'red', 'hammer', { toolRef: { name: 'hammer' } })
  const all = () => api.ask('/v1/runs', { token: api.adminToken })
  await vi.waitFor(async () => expect((await all()).json.items).toHaveLength(4), pollOptions)
}, 120_000)

afterAll(async () => {
  await api?.stop()
})

async function names(path: string, token: string): Promise<string[]> {
  const { json } = await api.ask(path, { token })
  return json.items.map((item: { name: string }) => item.name).toSorted()
}

describe('who may', () => {
  test.each([
    { because: 'no token', token: () => undefined, status: 401 },
    { because: 'a wrong token', token: () => 'wrong', status: 401 },
    { because: 'a forged token', token: () => forged(reader), status: 401 },
    { because: 'a token of the cluster', token: () => reader, status: 200 },
  ])('$because: $status', async ({ token, status }) => {
    const given = token()
    const reply = await api.ask('/v1/runs', given === undefined ? {} : { token: given })
    expect(reply.status).toBe(status)
    if (status !== 401) return
    expect(reply.headers['www-authenticate']).toBe('Bearer')
    expect(reply.json).toMatchObject({ ok: false, code: 'Unauthenticated' })
  })

  test('a token for another audience is refused', async () => {
    const other = await tokenOf(api.admin, 'red', 'reader', { audience: 'someone-else' })
    expect((await api.ask('/v1/runs', { token: other })).status).toBe(401)
  })

  test('a list has what the caller may list, and nothing else', async () => {
    expect(await names('/v1/runs', api.adminToken)).toEqual(['hammer', 'one', 'three', 'two'])
    expect(await names('/v1/runs', reader)).toEqual(['hammer', 'one', 'two'])
    expect(await names('/v1/runs', nobody)).toEqual([])
    const refused = await api.ask('/v1/runs?namespace=blue', { token: reader })
    expect(refused.status).toBe(403)
    expect(refused.text).not.toContain('three')
  })

  test('a run is read with the rights of the caller', async () => {
    const own = await api.ask('/v1/runs/red/one', { token: reader })
    expect(own.json).toMatchObject({
      run: { kind: 'AgentRun', name: 'one', of: 'writer' },
      resource: { metadata: { name: 'one' } },
    })
    expect((await api.ask('/v1/runs/blue/three', { token: reader })).status).toBe(403)
    expect((await api.ask('/v1/runs/blue/missing', { token: reader })).status).toBe(403)
    expect((await api.ask('/v1/runs/red/missing', { token: reader })).status).toBe(404)
    const hammer = await api.ask('/v1/runs/red/hammer', { token: reader })
    expect(hammer.json.run).toMatchObject({ kind: 'ToolRun', of: 'hammer' })
  })

  test('a deleted account cannot read a run any more, whatever is remembered', async () => {
    const token = await account(api.admin, 'red', 'leaver', read)
    expect((await api.ask('/v1/runs/red/one', { token })).status).toBe(200)
    await api.admin.request({
      method: 'DELETE',
      path: '/api/v1/namespaces/red/serviceaccounts/leaver',
    })
    expect((await api.ask('/v1/runs/red/one', { token })).status).toBe(401)
  })

  test('no token is ever logged', () => {
    const text = api.lines.join('\n')
    expect(text).toContain('GET /v1/runs')
    for (const token of [api.adminToken, reader, nobody]) expect(text).not.toContain(token)
  })
})

describe('the list of runs', () => {
  test.each([
    { query: 'namespace=red', found: ['hammer', 'one', 'two'] },
    { query: 'kind=ToolRun', found: ['hammer'] },
    { query: 'agent=writer', found: ['one', 'three'] },
    { query: 'label=team=blue', found: ['three'] },
    { query: 'label=team&label=team=red', found: ['hammer', 'one', 'two'] },
    { query: 'label=none', found: [] },
    { query: 'phase=Running', found: [] },
  ])('$query', async ({ query, found }) => {
    expect(await names(`/v1/runs?${query}`, api.adminToken)).toEqual(found)
  })

  test('pages without a gap or a double', async () => {
    const seen: string[] = []
    let next: string | undefined
    do {
      const at: string = next === undefined ? '' : `&cursor=${next}`
      const { json } = await api.ask(`/v1/runs?limit=1${at}`, { token: api.adminToken })
      expect(json.items).toHaveLength(1)
      seen.push(json.items[0].name)
      next = json.next
    } while (next !== undefined)
    expect(seen.toSorted()).toEqual(['hammer', 'one', 'three', 'two'])
  })
})

describe('malformed requests', () => {
  test.each([
    { path: '/v1/runs?limit=0', status: 400 },
    { path: '/v1/runs?limit=10001', status: 400 },
    { path: '/v1/runs?limit=1&limit=2', status: 400 },
    { path: '/v1/runs?limt=1', status: 400 },
    { path: '/v1/runs?cursor=eA', status: 400 },
    { path: '/v1/runs?namespace=..', status: 400 },
    { path: '/v1/runs/red/..', status: 400 },
    { path: '/v1/runs/red/one/../two', status: 404 },
    { path: '/v1/runs/red/%2e%2e', status: 404 },
    { path: '/v1/runs/red%2fone', status: 404 },
    { path: '/v1/runs/red/one%00', status: 404 },
    { path: '/v1/runs/RED/one', status: 400 },
    { path: '/v1/runs/red/--all', status: 400 },
    { path: `/v1/runs/red/${'x'.repeat(254)}`, status: 400 },
    { path: '/v1/runs/', status: 404 },
    { path: '//v1/runs', status: 404 },
    { path: '/v1/RUNS', status: 404 },
  ])('$path: $status', async ({ path, status }) => {
    const reply = await api.ask(path, { token: api.adminToken })
    expect(reply.status).toBe(status)
    expect(reply.json).toMatchObject({ ok: false })
  })

  test.each([
    { because: 'another method', sent: { method: 'DELETE' }, status: 405 },
    { because: 'a body that is not expected', sent: { body: 'x' }, status: 400 },
    { because: 'a strange method', sent: { method: 'PROPFIND' }, status: 405 },
  ])('$because: $status', async ({ sent, status }) => {
    const reply = await api.ask('/v1/runs', { token: api.adminToken, ...sent })
    expect(reply.status).toBe(status)
    if (status === 405) expect(reply.headers.allow).toBe('GET, POST')
  })

  test.each([
    {
      because: 'two tokens',
      head: ['authorization: Bearer a', 'authorization: Bearer b'],
      status: 400,
    },
    {
      because: 'two lengths',
      head: ['content-length: 0', 'content-length: 3'],
      status: 400,
    },
    {
      because: 'a length and chunks',
      head: ['content-length: 3', 'transfer-encoding: chunked'],
      status: 400,
    },
    { because: 'two hosts', head: ['host: other'], status: 400 },
    { because: 'a folded header', head: ['x-a: 1', ' authorization: Bearer a'], status: 400 },
    { because: 'huge headers', head: [`x-a: ${'a'.repeat(60_000)}`], status: 431 },
  ])('$because: $status', async ({ head, status }) => {
    const text = ['GET /v1/runs HTTP/1.1', 'host: x', ...head, '', ''].join('\r\n')
    expect(await raw(text)).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  })

  test('HEAD is answered without a body', async () => {
    const reply = await api.ask('/livez', { method: 'HEAD' })
    expect(reply).toMatchObject({ status: 200, text: '' })
  })
})

describe('probes and description', () => {
  test('need no token', async () => {
    expect(await api.ask('/livez')).toMatchObject({ status: 200, text: 'ok' })
    expect((await api.ask('/readyz?verbose')).text).toContain('[+]shutdown ok')
    const { json, headers } = await api.ask('/openapi.json')
    expect(json.openapi).toBe('3.1.1')
    expect(Object.keys(json.paths)).toContain('/v1/runs/{namespace}/{name}')
    expect({ ...json, info: apiDescription().info }).toEqual(apiDescription())
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    })
  })
})

/** Sends bytes, and returns what comes back until the server closes. */
function raw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let seen = ''
    const socket = connect({ port: api.port, host: '127.0.0.1', ca: api.caCertificate }, () => {
      socket.end(text)
    })
    socket.on('data', (chunk) => {
      seen += chunk
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(seen))
  })
}

/** The same claims with another signature. */
function forged(token: string): string {
  const [head, body] = token.split('.')
  return `${head}.${body}.${Buffer.alloc(64, 1).toString('base64url')}`
}
