import { get } from 'node:https'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cookieIn, type HttpBrowser, httpBrowser } from '../../support/oidc/http-browser.ts'
import { type SignInBed, startSignInBed } from '../../support/oidc/sign-in-bed.ts'
import { authorities, bestAuthority } from '../../support/testbed/authority.ts'
import { until } from '../../support/testbed/until.ts'
import { isFull } from '../../support/tier.ts'

const spec = {
  agentRef: { name: 'writer' },
  implementation: { inline: { text: 'x' } },
  runtime: { type: 'job' },
}

/** The real one writes down whose names it was given. */
const tested = isFull ? authorities : [bestAuthority]

describe.each(tested)('sessions of an OpenID provider, on the %s API server', (authority) => {
  let bed: SignInBed
  let browser: HttpBrowser

  beforeAll(async () => {
    bed = await startSignInBed(authority)
    browser = httpBrowser(bed)
  })
  afterAll(() => bed?.stop())

  test('people act with their own rights, and the API server records their names', async () => {
    const { reply, ask } = await browser.signedIn('operator')
    expect(reply.json.user).toEqual({
      username: 'oidc:operator',
      groups: ['oidc:operators', 'system:authenticated'],
    })
    const created = await ask('/v1/runs', {
      method: 'POST',
      body: { namespace: 'red', name: 'by-operator', spec },
    })
    expect(created.status, created.text).toBe(201)
    const elsewhere = { method: 'POST', body: { namespace: 'blue', name: 'by-operator', spec } }
    expect((await ask('/v1/runs', elsewhere)).status).toBe(403)
    expect((await ask('/v1/runs?namespace=red')).status).toBe(200)
    expect((await ask('/v1/runs?namespace=blue')).status).toBe(403)
    const reader = await browser.signedIn('reader')
    expect((await reader.ask('/v1/runs/red/by-operator')).status).toBe(200)
    expect((await reader.ask('/v1/runs/red/by-operator/cancel', { method: 'POST' })).status).toBe(
      403,
    )
    const nobody = await browser.signedIn('stranger')
    expect((await nobody.ask('/v1/runs/red/by-operator')).status).toBe(403)
    expect((await nobody.ask('/v1/runs?namespace=red')).status).toBe(403)
    const { items } = (await bed.ask('/v1/audit?limit=100', { token: bed.adminToken })).json as {
      items: { actor: string; action: string; outcome: string; namespace: string }[]
    }
    const said = items.map(({ actor, action, outcome, namespace }) =>
      [actor, action, outcome, namespace].join(' '),
    )
    expect(said).toContain('oidc:operator submitRun allowed red')
    expect(said).toContain('oidc:operator submitRun denied blue')
    expect(said).toContain('oidc:reader cancelRun denied red')
    expect(said.some((line) => line.startsWith('oidc:operator finishSignIn allowed'))).toBe(true)
    if (bed.audit === undefined) return
    const noted = (await bed.audit.read()).find(
      ({ verb, objectRef }) => verb === 'create' && objectRef?.name === 'by-operator',
    )
    expect(noted).toMatchObject({
      user: { username: 'system:serviceaccount:red:control-plane' },
      impersonatedUser: {
        username: 'oidc:operator',
        groups: ['oidc:operators', 'system:authenticated'],
      },
      responseStatus: { code: 201 },
    })
  })

  test('groups that are not listed are ignored, and one group may be a text', async () => {
    const { ask, reply } = await browser.signedIn('unlisted')
    expect(reply.json.user.groups).toContain('oidc:operators')
    expect(reply.json.user.groups).not.toContain('oidc:choir')
    expect((await ask('/v1/runs?namespace=red')).status).toBe(200)
  })

  test('a session holds at both control planes, and ends at both', async () => {
    const started = await browser.begin(1)
    const back = await browser.visit(started.url, 'operator')
    const reply = await browser.finish(back.search, started.cookie, 0)
    expect(reply.status).toBe(201)
    const headers = {
      origin: browser.origin,
      cookie: cookieIn(reply),
      'x-agents-session': reply.json.proof,
    }
    for (const plane of [0, 1] as const) {
      expect((await bed.ask('/v1/session', { headers }, plane)).json.user.username).toBe(
        'oidc:operator',
      )
    }
    const ended = await bed.ask('/v1/session', { method: 'DELETE', headers }, 1)
    expect(ended.status).toBe(200)
    expect(ended.headers['set-cookie']?.[0]).toMatch(/=; .*Max-Age=0/)
    for (const plane of [0, 1] as const) {
      expect((await bed.ask('/v1/session', { headers }, plane)).status).toBe(401)
    }
  })

  test('an administrator ends all sessions of a person, streams included', async () => {
    const [one, two] = [await browser.signedIn('reader'), await browser.signedIn('reader')]
    const other = await browser.signedIn('operator')
    const stream = await openStream(bed, '/v1/events', one.headers)
    const path = '/v1/sessions?username=oidc:reader'
    const refused = await other.ask(path, { method: 'DELETE' })
    expect(refused.status).toBe(403)
    const { json } = await bed.ask(path, { method: 'DELETE', token: bed.adminToken }, 1)
    expect(json.ended).toBeGreaterThanOrEqual(2)
    for (const { ask } of [one, two]) expect((await ask('/v1/session')).status).toBe(401)
    await until(async () => stream.hasEnded())
    expect((await other.ask('/v1/session')).status).toBe(200)
  })

  test('a session ends after an hour without use, and after half a day', async () => {
    const { ask } = await browser.signedIn('reader')
    const age = (column: 'used_at' | 'expires_at', seconds: number) =>
      bed.db
        .updateTable('browser_sessions')
        .set({ [column]: new Date(Date.now() - seconds * 1000) })
        .where('username', '=', 'oidc:reader')
        .execute()
    await age('used_at', 3_500)
    expect((await ask('/v1/session')).status).toBe(200)
    await age('used_at', 3_601)
    expect((await ask('/v1/session')).status).toBe(401)
    await age('used_at', 0)
    expect((await ask('/v1/session')).status).toBe(200)
    await age('expires_at', 1)
    expect((await ask('/v1/session')).status).toBe(401)
  })

  test('a person has at most 20 sessions', async () => {
    const first = await browser.signedIn('unlisted')
    for (let count = 0; count < 20; count += 1) await browser.signedIn('unlisted')
    expect((await first.ask('/v1/session')).status).toBe(401)
    expect((await sessionsOf('unlisted')).rows).toBe(20)
  })

  test('a provider that is down signs nobody in and nobody out', async () => {
    const { ask } = await browser.signedIn('operator')
    const { url, cookie } = await browser.begin()
    const back = await browser.visit(url, 'operator')
    await bed.provider.stop()
    try {
      const reply = await browser.finish(back.search, cookie)
      expect(reply.status).toBe(503)
      expect(reply.json.error).toContain('the OpenID provider does not answer')
      expect((await ask('/v1/runs?namespace=red')).status).toBe(200)
      expect((await bed.ask('/v1/runs', { token: bed.adminToken })).status).toBe(200)
    } finally {
      await bed.provider.startAgain()
    }
    // The sign-in that was begun can be finished.
    expect((await browser.finish(back.search, cookie)).status).toBe(201)
  })

  test('codes of agentctl are not taken, and the page learns how to sign in', async () => {
    const minted = await bed.ask('/v1/session/codes', { method: 'POST', token: bed.adminToken })
    expect(minted.status).toBe(404)
    const { json } = await bed.ask('/v1/sign-in')
    expect(json).toEqual({ code: false, openIdConnect: { issuer: bed.provider.issuer } })
  })

  test('cookies are those that scripts and other sites do not get', async () => {
    const { reply } = await browser.begin()
    const done = await browser.attempt('operator')
    const [session = ''] = done.headers['set-cookie'] ?? []
    for (const cookie of [reply.headers['set-cookie']?.[0] ?? '', session]) {
      expect(cookie).toMatch(/^__Host-agents-\d+(?:-sign-in)?=[\w-]{43}; Path=\/; Max-Age=\d+; /)
      expect(cookie).toContain('Secure; HttpOnly; SameSite=Strict')
    }
    expect(done.headers['set-cookie']?.[1]).toMatch(/-sign-in=; .*Max-Age=0/)
  })

  async function sessionsOf(name: string) {
    const found = await bed.db
      .selectFrom('browser_sessions')
      .select('id')
      .where('username', '=', `oidc:${name}`)
      .execute()
    return { rows: found.length }
  }
})

/** A stream that has begun. */
async function openStream(bed: SignInBed, path: string, headers: Record<string, string>) {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let hasEnded = false
  get(`${bed.publicUrl}${path}`, { ca: bed.ca, headers, agent: false }, (response) => {
    response.once('data', () => resolve())
    response.once('close', () => {
      hasEnded = true
    })
  }).on('error', reject)
  await promise
  return { hasEnded: () => hasEnded }
}
