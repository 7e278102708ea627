import { systemClock } from '@agents/controller'
import { silentLogger } from '@agents/log'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { OpenIdProvider } from '../../../services/jangar/src/server/api/sign-in/open-id-provider.ts'
import { cookieIn, type HttpBrowser, httpBrowser } from '../../support/oidc/http-browser.ts'
import { clientSecret, type SignInBed, startSignInBed } from '../../support/oidc/sign-in-bed.ts'
import { asksForName, signInByForms, signOutByForms } from '../../support/oidc/sign-in-by-forms.ts'
import { likeAuthorities } from '../../support/testbed/authority.ts'

describe.each(likeAuthorities)('signing out at the provider, on the %s API server', (authority) => {
  let bed: SignInBed
  let browser: HttpBrowser

  beforeAll(async () => {
    bed = await startSignInBed(authority)
    browser = httpBrowser(bed)
  })
  afterAll(() => bed?.stop())
  afterEach(() => {
    bed.provider.state.endSessionEndpoint = 'own'
  })

  /** A browser in which a person has signed in, with its cookies of the provider. */
  async function signedIn() {
    const cookies = new Map<string, string>()
    const { url, cookie } = await browser.begin()
    const back = await signInByForms(url, bed.ca, 'operator', bed.publicUrl, cookies)
    const reply = await browser.finish(back.search, cookie)
    expect(reply.status, reply.text).toBe(201)
    const headers = {
      ...{ origin: browser.origin, cookie: cookieIn(reply) },
      'x-agents-session': reply.json.proof as string,
    }
    const signOut = (path = '/v1/session', more: Record<string, string> = {}) =>
      bed.ask(path, { method: 'DELETE', headers: { ...headers, ...more } })
    return { cookies, headers, signOut }
  }

  test('the provider signs the person out, and leads back to the console', async () => {
    const { cookies, headers, signOut } = await signedIn()
    expect(await asksForName((await browser.begin()).url, bed.ca, cookies)).toBe(false)
    const ended = await signOut()
    expect([ended.status, ended.json.ended]).toEqual([200, 1])
    const url = new URL(ended.json.signOutUrl)
    expect(url.origin).toBe(bed.provider.issuer)
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: 'console',
      logout_hint: 'operator',
      post_logout_redirect_uri: `${bed.publicUrl}/`,
    })
    expect((await bed.ask('/v1/session', { headers })).status).toBe(401)
    const after = await signOutByForms(url.href, bed.ca, cookies)
    expect(after).toMatchObject({ location: `${bed.publicUrl}/` })
    expect(await asksForName((await browser.begin()).url, bed.ca, cookies)).toBe(true)
  })

  test('nobody else chooses where the provider leads to', async () => {
    const { cookies, signOut } = await signedIn()
    const elsewhere = 'https://evil.example/'
    const asked = await signOut(`/v1/session?post_logout_redirect_uri=${elsewhere}`)
    expect(asked.status).toBe(400)
    const foreign = { 'x-forwarded-host': 'evil.example', referer: elsewhere }
    const { signOutUrl } = (await signOut('/v1/session', foreign)).json
    expect(signOutUrl).not.toContain('evil')
    const forged = new URL(signOutUrl)
    forged.searchParams.set('post_logout_redirect_uri', elsewhere)
    const refused = await signOutByForms(forged.href, bed.ca, cookies)
    expect(refused.status).toBe(400)
    expect(refused.location).toBeUndefined()
  })

  test('a session that has ended, or is forged, gets no address', async () => {
    const { headers, signOut } = await signedIn()
    const forged = await signOut('/v1/session', { 'x-agents-session': 'x'.repeat(43) })
    expect([forged.status, forged.text.includes('signOutUrl')]).toEqual([401, false])
    const fromElsewhere = await signOut('/v1/session', { origin: 'https://evil.example' })
    expect(fromElsewhere.status).toBe(403)
    expect((await bed.ask('/v1/session', { headers })).status).toBe(200)
    expect((await signOut()).status).toBe(200)
    expect((await signOut()).status).toBe(401)
    const byToken = await bed.ask('/v1/session', { method: 'DELETE', token: bed.adminToken })
    expect(byToken.json).not.toHaveProperty('signOutUrl')
  })

  test.each([
    { because: 'without such an address', endpoint: undefined },
    { because: 'with one that has no TLS', endpoint: 'http://127.0.0.1/session/end' },
    { because: 'with one that is a script', endpoint: 'javascript:alert(1)' },
  ])('a provider $because signs nobody out', async ({ endpoint }) => {
    bed.provider.state.endSessionEndpoint = endpoint
    expect(await ownProvider().signOutAddress('oidc:operator')).toBeUndefined()
  })

  test('a provider that is down does not keep anybody signed in', async () => {
    const { headers, signOut } = await signedIn()
    await bed.provider.stop()
    try {
      expect(await ownProvider().signOutAddress('oidc:operator')).toBeUndefined()
      expect((await signOut()).status).toBe(200)
      expect((await bed.ask('/v1/session', { headers })).status).toBe(401)
    } finally {
      await bed.provider.startAgain()
    }
  })

  test('no token of the provider is stored or logged', async () => {
    await signedIn()
    const rows = await bed.db.selectFrom('browser_sessions').selectAll().execute()
    expect(rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(rows)).not.toMatch(/eyJ/)
    expect(bed.lines.join('\n')).not.toMatch(/eyJ/)
  })

  /** One that has not read the description of the provider yet. */
  function ownProvider(): OpenIdProvider {
    const settings = {
      ...{ issuerUrl: bed.provider.issuer, clientId: 'console', clientSecret, scopes: [] },
      ...{ publicUrl: bed.publicUrl, caFile: bed.caFile, usernameClaim: 'sub' },
      ...{ usernamePrefix: 'oidc:', groupsClaim: 'groups', groupsPrefix: 'oidc:', groups: [] },
    }
    return new OpenIdProvider(settings, { clock: systemClock, log: silentLogger })
  }
})
