import { get } from 'node:https'
import { startApiServer } from '@agents/apiserver'
import { type Clock, systemClock } from '@agents/controller'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { loopbackOrigins } from './browser-request.ts'
import { account, type Reply, type Sent, startTestApi, tokenOf } from './testing/test-api.ts'

const read = [
  { apiGroups: ['agents.proompteng.ai'], resources: ['agentruns'], verbs: ['get', 'list'] },
]

/** The clock of the platform, which tests may move on. */
let ahead = 0
/** Streams are reviewed from time to time. */
let areReviewed = true
const clock: Clock = {
  ...systemClock,
  elapsed: () => systemClock.elapsed() + ahead,
  now: () => new Date(Date.now() + ahead),
  after: (ms, action) =>
    areReviewed || ms < 1000 ? systemClock.after(ms, action) : () => undefined,
}

let api: Awaited<ReturnType<typeof startTestApi>>
let reader: string
let origin: string

beforeAll(async () => {
  api = await startTestApi(startApiServer, { clock, browsers: { origins: loopbackOrigins } })
  reader = await account(api.admin, 'red', 'reader', read)
  origin = `https://127.0.0.1:${api.port}`
}, 120_000)

afterAll(async () => {
  await api?.stop()
})

afterEach(() => {
  ahead = 0
  areReviewed = true
})

async function mint(token: string): Promise<string> {
  const { status, json } = await api.ask('/v1/session/codes', { method: 'POST', token })
  expect(status).toBe(201)
  return json.code
}

function signIn(code: string, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
  return api.ask('/v1/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin, ...headers },
    body: JSON.stringify({ code }),
  })
}

/** A browser that has signed in. */
async function browser(token = reader) {
  const reply = await signIn(await mint(token))
  expect(reply.status).toBe(201)
  const [cookie = ''] = (reply.headers['set-cookie']?.[0] ?? '').split(';')
  const headers = { cookie, 'x-agents-session': reply.json.proof as string, origin }
  const ask = (path: string, sent: Sent = {}, change: Readonly<Record<string, string>> = {}) =>
    api.ask(path, { ...sent, headers: { ...headers, ...sent.headers, ...change } })
  return { reply, cookie, headers, ask }
}

/** A stream that has begun. */
async function openStream(path: string, headers: Readonly<Record<string, string>>) {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let hasEnded = false
  const { port, caCertificate: ca } = api
  get({ host: '127.0.0.1', port, path, ca, headers, agent: false }, (response) => {
    response.once('data', () => resolve())
    response.once('close', () => {
      hasEnded = true
    })
  }).on('error', reject)
  await promise
  return { hasEnded: () => hasEnded }
}

describe('a session', () => {
  test('is opened by a code, and acts as the user who asked for the code', async () => {
    const { reply, ask } = await browser()
    expect(reply.json.user.username).toBe('system:serviceaccount:red:reader')
    expect((await ask('/v1/session')).json).toMatchObject({
      user: { username: 'system:serviceaccount:red:reader' },
      session: { expiresAt: expect.stringMatching(/^\d{4}-/) },
    })
    expect((await ask('/v1/runs?namespace=red')).status).toBe(200)
    expect((await ask('/v1/runs?namespace=blue')).status).toBe(403)
    const spec = { agentRef: { name: 'writer' }, runtime: { type: 'job' } }
    const refused = await ask('/v1/runs', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ namespace: 'red', spec }),
    })
    expect(refused.status).toBe(403)
    const runs = await (await browser(api.adminToken)).ask('/v1/runs?namespace=blue')
    expect(runs.status).toBe(200)
  })

  test('has a cookie that scripts, other sites and other paths do not get', async () => {
    const { reply } = await browser()
    const [cookie = '', ...others] = reply.headers['set-cookie'] ?? []
    expect(others).toEqual([])
    const [pair = '', ...attributes] = cookie.split('; ')
    expect(pair).toMatch(new RegExp(`^__Host-agents-${api.port}=[\\w-]{43}$`))
    expect(attributes.toSorted()).toEqual(
      ['HttpOnly', 'Max-Age=43200', 'Path=/', 'SameSite=Strict', 'Secure'].toSorted(),
    )
    expect(reply.text).not.toContain(pair.split('=')[1])
    expect(reply.headers['cache-control']).toBe('no-store')
  })

  test('ends when the user signs out, for a stolen cookie too, and open streams end', async () => {
    const { ask, headers } = await browser()
    const other = await browser()
    areReviewed = false
    const stream = await openStream('/v1/events', headers)
    const out = await ask('/v1/session', { method: 'DELETE' })
    expect(out.status).toBe(200)
    expect(out.headers['set-cookie']?.[0]).toContain('Max-Age=0')
    expect((await ask('/v1/runs')).status).toBe(401)
    expect((await ask('/v1/session')).status).toBe(401)
    // By the end of the session, since nothing reviews the token.
    await expect.poll(() => stream.hasEnded()).toBe(true)
    expect((await other.ask('/v1/runs')).status).toBe(200)
  })

  test('ends with all others when its user says so with a token', async () => {
    const [one, two] = [await browser(), await browser()]
    const stranger = await browser(api.adminToken)
    const reply = await api.ask('/v1/session', { method: 'DELETE', token: reader })
    expect(reply.status).toBe(200)
    expect((await one.ask('/v1/session')).status).toBe(401)
    expect((await two.ask('/v1/session')).status).toBe(401)
    expect((await stranger.ask('/v1/session')).status).toBe(200)
  })

  test('ends with the token of its user', async () => {
    const token = await account(api.admin, 'red', 'leaver', read)
    const { ask } = await browser(token)
    expect((await ask('/v1/session')).status).toBe(200)
    const path = '/api/v1/namespaces/red/serviceaccounts/leaver'
    await api.admin.request({ method: 'DELETE', path })
    ahead += 10_001
    expect((await ask('/v1/session')).status).toBe(401)
  })

  test('ends after an hour without use, and after half a day', async () => {
    const idle = await browser(api.adminToken)
    ahead += 3_599_000
    expect((await idle.ask('/v1/session')).status).toBe(200)
    ahead += 3_601_000
    expect((await idle.ask('/v1/session')).status).toBe(401)
    const busy = await browser(api.adminToken)
    for (let hour = 0; hour < 12; hour += 1) {
      expect((await busy.ask('/v1/session')).status).toBe(200)
      ahead += 3_599_000
    }
    ahead += 60_000
    expect((await busy.ask('/v1/session')).status).toBe(401)
  })

  test('does not outlive its token', async () => {
    const { bytes } = await api.admin.request({
      method: 'POST',
      path: '/api/v1/namespaces/red/serviceaccounts/reader/token',
      body: {
        ...{ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest' },
        spec: { expirationSeconds: 600 },
      },
    })
    const { token } = JSON.parse(bytes.toString('utf8')).status
    const { reply } = await browser(token)
    const left = Date.parse(reply.json.session.expiresAt) - clock.now().getTime()
    expect(left).toBeLessThanOrEqual(600_000)
    expect(left).toBeGreaterThan(500_000)
  })
})

describe('a code', () => {
  test('works once, also of a hundred attempts at the same time', async () => {
    const code = await mint(reader)
    const replies = await Promise.all(Array.from({ length: 100 }, () => signIn(code)))
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(replies.filter(({ status }) => status === 401)).toHaveLength(99)
  })

  test('works for a minute', async () => {
    const code = await mint(reader)
    ahead += 60_000
    expect((await signIn(code)).status).toBe(401)
  })

  test('is made for a token alone: neither for a stranger nor for a session', async () => {
    expect((await api.ask('/v1/session/codes', { method: 'POST' })).status).toBe(401)
    const wrong = await api.ask('/v1/session/codes', { method: 'POST', token: 'wrong' })
    expect(wrong.status).toBe(401)
    const { ask } = await browser()
    expect((await ask('/v1/session/codes', { method: 'POST' })).status).toBe(403)
  })

  test('of another audience is not made', async () => {
    const token = await tokenOf(api.admin, 'red', 'reader', { audience: 'agents.proompteng.ai' })
    expect((await api.ask('/v1/session/codes', { method: 'POST', token })).status).toBe(401)
  })

  test('of a token that was revoked meanwhile opens nothing', async () => {
    const token = await account(api.admin, 'red', 'goer', read)
    const code = await mint(token)
    const path = '/api/v1/namespaces/red/serviceaccounts/goer'
    await api.admin.request({ method: 'DELETE', path })
    ahead += 10_001
    expect((await signIn(code)).status).toBe(401)
  })

  test('of another user does not replace a session unnoticed', async () => {
    const { ask, headers } = await browser()
    const code = await mint(api.adminToken)
    expect((await signIn(code, headers)).status).toBe(409)
    expect((await ask('/v1/session')).json.user.username).toContain('red:reader')
    // The user may sign out and use it then.
    await ask('/v1/session', { method: 'DELETE' })
    expect((await signIn(code, headers)).status).toBe(201)
  })

  test('of the same user replaces the session', async () => {
    const { ask, headers } = await browser()
    expect((await signIn(await mint(reader), headers)).status).toBe(201)
    expect((await ask('/v1/session')).status).toBe(401)
  })

  test.each(['', 'x', 'x'.repeat(43), 'x'.repeat(2000)])('that is wrong: %s', async (code) => {
    expect([400, 401]).toContain((await signIn(code)).status)
  })

  test('does not pile up', async () => {
    const codes: string[] = []
    for (let at = 0; at < 12; at += 1) codes.push(await mint(reader))
    expect((await signIn(codes[0] ?? '')).status).toBe(401)
    expect((await signIn(codes[11] ?? '')).status).toBe(201)
  })
})

describe('attacks', () => {
  test('a session that the attacker chose is not taken over', async () => {
    const chosen = `__Host-agents-${api.port}=${'a'.repeat(43)}`
    const reply = await signIn(await mint(reader), { cookie: chosen })
    expect(reply.status).toBe(201)
    expect(reply.headers['set-cookie']?.[0]).not.toContain('a'.repeat(43))
    const proof = reply.json.proof as string
    const asked = await api.ask('/v1/session', {
      headers: { cookie: chosen, 'x-agents-session': proof },
    })
    expect(asked.status).toBe(401)
  })

  test("a cookie of another's session does not fit the proof of one's own", async () => {
    const [one, two] = [await browser(), await browser(api.adminToken)]
    expect((await one.ask('/v1/runs', {}, { cookie: two.cookie })).status).toBe(401)
    // Neither was ended by it.
    expect((await one.ask('/v1/runs')).status).toBe(200)
    expect((await two.ask('/v1/runs')).status).toBe(200)
  })

  test('a cookie alone opens nothing: servers on other ports of the host get it too', async () => {
    const { cookie, headers } = await browser()
    for (const path of ['/v1/runs', '/v1/session', '/v1/events']) {
      expect((await api.ask(path, { headers: { cookie } })).status).toBe(401)
    }
    const proof = { 'x-agents-session': headers['x-agents-session'] }
    expect((await api.ask('/v1/runs', { headers: proof })).status).toBe(401)
    expect((await api.ask('/v1/session', { method: 'DELETE', headers: { cookie } })).status).toBe(
      403,
    )
  })

  test.each([
    { because: 'another site', change: { origin: 'https://evil.example' } },
    { because: 'another port', change: { origin: 'https://127.0.0.1:1' } },
    { because: 'another scheme', change: { origin: 'http://127.0.0.1' } },
    { because: 'a sandboxed page', change: { origin: 'null' } },
    { because: 'an empty origin', change: { origin: '' } },
    { because: 'what the browser calls cross-site', change: { 'sec-fetch-site': 'cross-site' } },
    { because: 'what the browser calls same-site', change: { 'sec-fetch-site': 'same-site' } },
    { because: 'another host, by DNS', change: { host: 'evil.example' } },
    {
      because: 'another host with its origin',
      change: { host: 'evil.example', origin: 'https://evil.example' },
    },
    { because: 'a host without its port', change: { host: '127.0.0.1' } },
    { because: 'a host with a user', change: { host: 'evil@127.0.0.1' } },
  ])('a request of $because is refused', async ({ change }) => {
    const { ask } = await browser()
    const given = change as Record<string, string>
    const ended = await ask('/v1/session', { method: 'DELETE' }, given)
    expect(ended.status).toBe(403)
    if (given.origin !== '') expect((await ask('/v1/runs', {}, given)).status).toBe(403)
    expect((await signIn(await mint(reader), given)).status).toBe(403)
    expect((await ask('/v1/session')).status).toBe(200)
  })

  test('a write without an origin is refused', async () => {
    const { cookie, headers } = await browser()
    const sent = { cookie, 'x-agents-session': headers['x-agents-session'] }
    const reply = await api.ask('/v1/session', { method: 'DELETE', headers: sent })
    expect(reply.status).toBe(403)
    const code = await mint(reader)
    const json = { 'content-type': 'application/json' }
    const body = JSON.stringify({ code })
    expect((await api.ask('/v1/session', { method: 'POST', headers: json, body })).status).toBe(403)
  })

  test('a form of another site cannot sign in', async () => {
    const headers = { 'content-type': 'text/plain', origin }
    const body = JSON.stringify({ code: await mint(reader) })
    expect((await api.ask('/v1/session', { method: 'POST', headers, body })).status).toBe(415)
  })

  test('a forwarded host is not believed', async () => {
    const { ask } = await browser()
    const change = { host: 'evil.example', 'x-forwarded-host': `127.0.0.1:${api.port}` }
    expect((await ask('/v1/runs', {}, change)).status).toBe(403)
  })

  test('no other site may read answers', async () => {
    const { ask } = await browser()
    const preflight = await api.ask('/v1/runs', {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    })
    expect(preflight.status).toBe(405)
    for (const { headers } of [preflight, await ask('/v1/runs')]) {
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
    }
  })

  test('two cookies of the name count as none', async () => {
    const { ask, cookie } = await browser()
    expect((await ask('/v1/runs', {}, { cookie: `${cookie}; ${cookie}` })).status).toBe(401)
    expect((await ask('/v1/runs', {}, { cookie: `a=b; ${cookie}; c` })).status).toBe(200)
  })

  test('a token counts more than a cookie', async () => {
    const { ask } = await browser(api.adminToken)
    expect((await ask('/v1/runs', { token: 'wrong' })).status).toBe(401)
    const { json } = await ask('/v1/session', { token: reader })
    expect(json.user.username).toContain('red:reader')
    expect(json.session).toBeUndefined()
  })

  test('neither code, cookie nor proof is logged', async () => {
    const code = await mint(reader)
    const reply = await signIn(code)
    const [pair = ''] = (reply.headers['set-cookie']?.[0] ?? '').split(';')
    const text = api.lines.join('\n')
    expect(text).toContain('POST /v1/session')
    for (const secret of [code, pair.split('=')[1] ?? '', reply.json.proof, reader]) {
      expect(secret.length).toBeGreaterThan(40)
      expect(text).not.toContain(secret)
    }
  })
})

test('an API without sessions says so', async () => {
  const plain = await api.beside()
  try {
    const reply = await plain.ask('/v1/session/codes', { method: 'POST', token: plain.adminToken })
    expect(reply.status).toBe(404)
    expect(reply.json.error).toContain('sessions')
    const { json } = await plain.ask('/v1/session', { token: plain.adminToken })
    expect(json.user.username).toBeTruthy()
    const headers = { cookie: `__Host-agents-${plain.port}=x`, 'x-agents-session': 'x' }
    expect((await plain.ask('/v1/runs', { headers })).status).toBe(401)
  } finally {
    await plain.stop()
  }
})
