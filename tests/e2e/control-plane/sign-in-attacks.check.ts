import { generateKeyPairSync } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { cookieIn, type HttpBrowser, httpBrowser } from '../../support/oidc/http-browser.ts'
import { claimsOf, jwt, type Tamper } from '../../support/oidc/open-id-server.ts'
import { clientSecret, type SignInBed, startSignInBed } from '../../support/oidc/sign-in-bed.ts'
import { likeAuthorities } from '../../support/testbed/authority.ts'

describe.each(likeAuthorities)('attacks on the sign-in, on the %s API server', (authority) => {
  let bed: SignInBed
  let browser: HttpBrowser

  beforeAll(async () => {
    bed = await startSignInBed(authority)
    browser = httpBrowser(bed)
  })
  afterAll(() => bed?.stop())
  afterEach(() => {
    bed.provider.state.tamper = undefined
  })

  describe('forged answers', () => {
    test('a state of another sign-in is refused, before the provider is asked', async () => {
      const { url, cookie } = await browser.begin()
      const back = await browser.visit(url, 'operator')
      const before = bed.provider.exchanges.length
      for (const state of ['x', '', (await browser.begin()).state]) {
        back.searchParams.set('state', state)
        expect((await browser.finish(back.search, cookie)).status).toBe(401)
      }
      back.searchParams.delete('state')
      expect((await browser.finish(back.search, cookie)).status).toBe(401)
      expect(bed.provider.exchanges).toHaveLength(before)
    })

    test("an attacker's answer signs nobody in: another browser began it, or none", async () => {
      const mine = await browser.begin()
      const back = await browser.visit(mine.url, 'operator')
      const victim = await browser.begin()
      expect((await browser.finish(back.search, victim.cookie)).status).toBe(401)
      expect((await browser.finish(back.search, '')).status).toBe(401)
      expect((await browser.finish(back.search, `${mine.cookie}x`)).status).toBe(401)
      const twice = `${victim.cookie}; ${mine.cookie}`
      expect((await browser.finish(back.search, twice)).status).toBe(401)
      // None of it was used up.
      expect((await browser.finish(back.search, mine.cookie)).status).toBe(201)
    })

    test('a code that was made up, belongs to another sign-in or was used is refused', async () => {
      const [one, two] = [await browser.begin(), await browser.begin()]
      const [first, second] = [
        await browser.visit(one.url, 'operator'),
        await browser.visit(two.url, 'reader'),
      ]
      const mixed = new URL(first)
      mixed.searchParams.set('code', second.searchParams.get('code') ?? '')
      // PKCE: the code was made for another verifier.
      expect((await browser.finish(mixed.search, one.cookie)).status).toBe(401)
      mixed.searchParams.set('code', 'made-up')
      expect((await browser.finish(mixed.search, one.cookie)).status).toBe(401)
      mixed.searchParams.delete('code')
      expect((await browser.finish(mixed.search, one.cookie)).status).toBe(401)
      expect((await browser.finish(first.search, one.cookie)).status).toBe(201)
      expect((await browser.finish(first.search, one.cookie)).status).toBe(401)
      expect((await browser.finish(first.search, one.cookie, 1)).status).toBe(401)
    })

    test('an answer of another issuer, or an error of the provider, is refused', async () => {
      const { url, state, cookie } = await browser.begin()
      const back = await browser.visit(url, 'operator')
      back.searchParams.set('iss', 'https://evil.example')
      expect((await browser.finish(back.search, cookie)).status).toBe(401)
      const iss = encodeURIComponent(bed.provider.issuer)
      const denied = `?error=access_denied&state=${state}&iss=${iss}&error_description=%3Cscript%3E`
      const reply = await browser.finish(denied, cookie)
      expect(reply.status).toBe(401)
      expect(reply.json.error).toContain('access_denied')
      expect(reply.text).not.toContain('script')
    })
  })

  const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  const tampered: readonly { because: string; tamper: (bed: SignInBed) => Tamper }[] = [
    {
      because: 'signed by another key',
      tamper: () => (token) => jwt({ alg: 'RS256', kid: 'own' }, claimsOf(token), stranger),
    },
    {
      because: 'signed by a key that the provider does not have',
      tamper: () => (token) => jwt({ alg: 'RS256', kid: 'other' }, claimsOf(token), stranger),
    },
    {
      because: 'not signed',
      tamper: () => (token) => jwt({ alg: 'none' }, claimsOf(token), undefined),
    },
    {
      because: 'signed with the secret of the client',
      tamper: () => (token) => jwt({ alg: 'HS256' }, claimsOf(token), clientSecret),
    },
    { because: 'missing', tamper: () => () => undefined },
    {
      because: 'changed after it was signed',
      tamper: () => (token) => {
        const [head, , signature] = token.split('.')
        const claims = { ...claimsOf(token), sub: 'operator', groups: ['operators'] }
        return `${head}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${signature}`
      },
    },
    ...(
      [
        ['for another audience', { aud: 'another-client' }],
        [
          'for several audiences, of which we are not the authorized one',
          { aud: ['console', 'x'], azp: 'x' },
        ],
        ['of another sign-in, by its nonce', { nonce: 'another' }],
        ['without a nonce', { nonce: undefined }],
        ['of another issuer', { iss: 'https://evil.example' }],
        ['expired', { exp: Math.floor(Date.now() / 1000) - 3600 }],
      ] as const
    ).map(([because, change]) => ({
      because,
      tamper:
        ({ provider }: SignInBed): Tamper =>
        (token) =>
          provider.signed({ ...claimsOf(token), ...change }),
    })),
  ]

  test.each(tampered)('an ID token that is $because is refused', async ({ tamper }) => {
    bed.provider.state.tamper = tamper(bed)
    const reply = await browser.attempt('reader')
    expect(reply.status).toBe(401)
    expect(reply.headers['set-cookie']).toBeUndefined()
    // The same sign-in without the change is accepted, so that is what was refused.
    bed.provider.state.tamper = (token) => bed.provider.signed(claimsOf(token))
    expect((await browser.attempt('reader')).status).toBe(201)
  })

  test.each([
    { name: 'master', says: 'system:', because: 'a group is system:masters' },
    { name: 'system:admin', says: 'system:', because: 'the user is one of Kubernetes itself' },
    { name: 'odd', says: 'groups', because: 'groups are not names' },
  ])('$name cannot sign in: $because', async ({ name, says }) => {
    const reply = await browser.attempt(name)
    expect(reply.status).toBe(403)
    expect(reply.json.error).toContain(says)
    expect(reply.headers['set-cookie']).toBeUndefined()
    const found = await bed.db.selectFrom('browser_sessions').select('username').execute()
    expect(found.map(({ username }) => username)).not.toContain(`oidc:${name}`)
  })

  describe('requests that do not come from the console', () => {
    test.each([
      { because: 'another origin', change: { origin: 'https://evil.example' } },
      { because: 'no origin', change: { origin: undefined } },
      { because: 'another host', change: { host: 'evil.example' } },
      { because: 'another site', change: { 'sec-fetch-site': 'cross-site' } },
    ])('$because is refused', async ({ change }) => {
      const { url, cookie } = await browser.begin()
      const back = await browser.visit(url, 'operator')
      const headers = Object.fromEntries(
        Object.entries({ origin: browser.origin, cookie, ...change }).filter(
          ([, value]) => value !== undefined,
        ),
      ) as Record<string, string>
      const body = { answer: back.search }
      const reply = await bed.ask('/v1/sign-in/finish', { method: 'POST', headers, body })
      expect(reply.status).toBe(403)
      expect((await bed.ask('/v1/sign-in', { method: 'POST', headers })).status).toBe(403)
    })

    test('a session of one name cannot be used by another, nor the cookie alone', async () => {
      const { headers } = await browser.signedIn('operator')
      const { 'x-agents-session': proof, cookie } = headers
      expect((await bed.ask('/v1/runs', { headers: { cookie } })).status).toBe(401)
      expect((await bed.ask('/v1/runs', { headers: { 'x-agents-session': proof } })).status).toBe(
        401,
      )
      const other = await browser.signedIn('reader')
      const mixed = { ...headers, cookie: other.headers.cookie }
      expect((await bed.ask('/v1/runs', { headers: mixed })).status).toBe(401)
      const evil = { ...headers, origin: 'https://evil.example' }
      expect((await bed.ask('/v1/runs', { headers: evil })).status).toBe(403)
    })

    test('nobody impersonates by headers of a request', async () => {
      const { headers } = await browser.signedIn('stranger')
      const forged = {
        ...headers,
        ...{ 'impersonate-user': 'oidc:operator', 'impersonate-group': 'oidc:operators' },
      }
      const reply = await bed.ask('/v1/runs/red/by-operator', { headers: forged })
      expect(reply.status).toBe(403)
    })

    test('programs may use other names of the server, with a token', async () => {
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
      const headers = { host: 'agents-api.agents.svc' }
      const sent = { method: 'POST', token: bed.adminToken, headers, body }
      expect((await bed.ask('/mcp', sent)).status).toBe(200)
      const page = { ...headers, origin: 'https://agents-api.agents.svc' }
      expect((await bed.ask('/mcp', { ...sent, headers: page })).status).toBe(403)
    })
  })

  test('neither secrets, codes nor tokens are logged or stored', async () => {
    const seen: string[] = []
    bed.provider.state.tamper = (token) => {
      seen.push(token)
      return token
    }
    const { url, cookie } = await browser.begin()
    const back = await browser.visit(url, 'operator')
    const reply = await browser.finish(back.search, cookie)
    bed.provider.state.tamper = (token) => {
      const forged = jwt({ alg: 'RS256', kid: 'own' }, claimsOf(token), stranger)
      seen.push(forged)
      return forged
    }
    await browser.attempt('operator')
    expect(seen).toHaveLength(2)
    const secrets = [
      ...seen,
      clientSecret,
      back.searchParams.get('code') ?? '',
      cookie.split('=')[1] ?? '',
      cookieIn(reply).split('=')[1] ?? '',
      reply.json.proof as string,
    ]
    const rows = await bed.db.selectFrom('browser_sessions').selectAll().execute()
    const text = bed.lines.join('\n') + JSON.stringify(rows)
    expect(text).toContain('POST /v1/sign-in/finish')
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(20)
      expect(text).not.toContain(secret)
      expect(text).not.toContain(Buffer.from(secret).toString('base64'))
    }
  })
})
