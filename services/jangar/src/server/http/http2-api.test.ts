import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { type ClientHttp2Session, connect } from 'node:http2'
import { promisify } from 'node:util'
import { startApiServer } from '@agents/apiserver'
import { agentRun } from '@agents/jangar-api'
import { type KubeObject, kindRef } from '@agents/kube'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { account, startTestApi } from './testing/test-api.ts'

const runs = kindRef<KubeObject>(agentRun)
const reading = [{ apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list'] }]

let api: Awaited<ReturnType<typeof startTestApi>>
let reader: string
let stranger: string

beforeAll(async () => {
  api = await startTestApi(startApiServer)
  reader = await account(api.admin, 'red', 'reader', reading)
  stranger = await account(api.admin, 'blue', 'reader', reading)
}, 120_000)

afterAll(() => api?.stop())

const version = 2

function open(options: object = {}): ClientHttp2Session {
  const session = connect(`https://localhost:${api.port}`, { ca: api.caCertificate, ...options })
  session.on('error', () => undefined)
  onTestFinished(() => session.destroy())
  return session
}

/** A stream of events, and what it has sent. */
function follow(session: ClientHttp2Session, token: string, path = '/v1/events') {
  const got: { status?: number; text: string; code?: number } = { text: '' }
  const stream = session.request({ ':path': path, authorization: `Bearer ${token}` })
  stream.on('response', (head) => {
    got.status = Number(head[':status'])
  })
  stream.on('data', (chunk) => {
    got.text += chunk
  })
  stream.on('error', () => undefined)
  stream.on('close', () => {
    got.code = stream.rstCode ?? 0
  })
  return got
}

async function createRun(name: string): Promise<void> {
  await api.admin.create(runs, {
    ...{ apiVersion: `${runs.group}/${runs.version}`, kind: runs.kind },
    metadata: { namespace: 'red', name },
    spec: {
      agentRef: { name: 'writer' },
      implementation: { inline: { text: 'x' } },
      runtime: { type: 'job' },
    },
  } as KubeObject)
}

test('the same rights and headers hold', async () => {
  const own = await api.ask('/v1/runs?namespace=red', { token: reader, version })
  expect([own.status, own.headers['x-request-id']]).toEqual([200, expect.any(String)])
  expect(own.headers).not.toHaveProperty('connection')
  const paths = ['/v1/runs?namespace=red', '/v1/objects/agentruns.agents.proompteng.ai']
  for (const path of paths) {
    expect((await api.ask(path, { token: stranger, version })).status).toBe(403)
    expect((await api.ask(path, { version })).status).toBe(401)
    expect((await api.ask(path, { token: 'forged', version })).status).toBe(401)
  }
})

test('a body must be wanted, of the right type and size', async () => {
  const post = { method: 'POST', token: reader, version, body: '{"acts":[]}' } as const
  const headers = { 'content-type': 'application/json' }
  expect((await api.ask('/v1/access', { ...post, headers })).status).toBe(200)
  expect((await api.ask('/v1/access', post)).status).toBe(415)
  expect((await api.ask('/v1/runs', { ...post, method: 'GET', headers })).status).toBe(400)
  const large = { ...post, headers, body: `{"acts":[]${' '.repeat(2_000_000)}}` }
  expect((await api.ask('/v1/access', large)).status).toBe(413)
})

test('curl and its users get it', async () => {
  const ca = `${api.files.certificate}.ca`
  writeFileSync(ca, api.caCertificate)
  const { stdout } = await promisify(execFile)('curl', [
    ...['--silent', '--http2', '--cacert', ca, '--write-out', '\n%{http_version} %{http_code}'],
    `https://localhost:${api.port}/livez`,
  ])
  expect(stdout).toMatch(/\n2 200$/)
})

test('one user has no more open requests over many connections', { timeout: 60_000 }, async () => {
  const streams = [open(), open(), open()].flatMap((session) =>
    Array.from({ length: 80 }, () => follow(session, reader)),
  )
  await expect
    .poll(() => streams.filter(({ status }) => status !== undefined).length, { timeout: 30_000 })
    .toBe(240)
  expect(streams.filter(({ status }) => status === 200)).toHaveLength(200)
  expect(streams.filter(({ status }) => status === 429)).toHaveLength(40)
  await expect
    .poll(async () => (await api.ask('/v1/runs', { token: stranger, version })).status)
    .toBe(200)
})

test('answers that a user leaves unread are open requests', { timeout: 60_000 }, async () => {
  const idler = await account(api.admin, 'red', 'idler', reading)
  const runs = '/v1/runs?namespace=red'
  const sessions = Array.from({ length: 3 }, () => open({ settings: { initialWindowSize: 0 } }))
  const ask = async (count: number) => {
    const streams = sessions.flatMap((session) =>
      Array.from({ length: count }, () => follow(session, idler, runs)),
    )
    const statuses = () => streams.flatMap(({ status }) => status ?? [])
    await expect.poll(() => statuses().length, { timeout: 30_000 }).toBe(3 * count)
    return statuses()
  }
  expect(new Set(await ask(66))).toEqual(new Set([200]))
  expect((await ask(10)).filter((status) => status === 200)).toHaveLength(2)
  for (const session of sessions) session.destroy()
  await expect
    .poll(async () => (await api.ask(runs, { token: idler, version })).status, { timeout: 20_000 })
    .toBe(200)
})

test('events are sent as they happen, to those who may see them', { timeout: 60_000 }, async () => {
  const [seen, hidden] = [follow(open(), api.adminToken), follow(open(), stranger)]
  await expect.poll(() => seen.text, { timeout: 20_000 }).toContain('event: ready')
  await expect.poll(() => hidden.text, { timeout: 20_000 }).toContain('event: ready')
  await createRun('watched')
  await expect.poll(() => seen.text, { timeout: 20_000 }).toContain('"watched"')
  expect(hidden.text).not.toContain('watched')
  // When the process stops, streams end as a whole, so that clients reconnect.
  await api.stopServer()
  await expect.poll(() => [seen.code, hidden.code], { timeout: 20_000 }).toEqual([0, 0])
})
