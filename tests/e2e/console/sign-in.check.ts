import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildConsole } from '@agents/console'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { claimsOf } from '../../support/oidc/open-id-server.ts'
import { type SignInBed, startSignInBed } from '../../support/oidc/sign-in-bed.ts'
import { bestAuthority } from '../../support/testbed/authority.ts'
import { isFull } from '../../support/tier.ts'
import { useBrowser } from './shared-bed.ts'

let bed: SignInBed
let browser: Browser
const folder = mkdtempSync(join(tmpdir(), 'console-sign-in-'))

beforeAll(async () => {
  await buildConsole(folder)
  const [started, opened] = await Promise.all([
    startSignInBed(isFull ? bestAuthority : 'embedded', folder),
    useBrowser(),
  ])
  bed = started
  browser = opened.browser
})
afterAll(async () => {
  await browser?.close()
  await bed?.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function newContext(): Promise<BrowserContext> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true })
  context.setDefaultTimeout(30_000)
  return context
}

function button(page: Page) {
  return page.getByRole('button', { name: `Sign in at ${new URL(bed.provider.issuer).host}` })
}

/** Enters the name on the pages of the provider, and consents. */
async function enter(page: Page, name: string): Promise<void> {
  await page.getByPlaceholder('Enter any login').fill(name)
  await page.getByPlaceholder('and password').fill('x')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
}

/** Signs out of the console and of the provider, which leads back. */
async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Yes, sign me out' }).click()
  await page.waitForURL(`${bed.publicUrl}/**`)
}

/** A page on which the person has signed in. */
async function signIn(name: string, path = '/runs'): Promise<Page> {
  const page = await (await newContext()).newPage()
  await page.goto(`${bed.publicUrl}${path}`)
  await button(page).click()
  await enter(page, name)
  await page.getByText(`oidc:${name}`).first().waitFor()
  return page
}

test('a provider that is down is named, and the page works when it is back', async () => {
  const page = await (await newContext()).newPage()
  await page.goto(`${bed.publicUrl}/runs`)
  await bed.provider.stop()
  await button(page).click()
  await page.getByText('The sign-in cannot begin:').waitFor()
  await page.getByText('the OpenID provider does not answer; try again').waitFor()
  await bed.provider.startAgain()
  await button(page).click()
  await enter(page, 'reader')
  await page.getByText('oidc:reader').first().waitFor()
  await signOut(page)
  await button(page).waitFor()
})

test('a person signs in, comes back to the page, acts and signs out', async () => {
  const page = await signIn('operator', '/runs?namespace=red')
  expect(page.url()).toBe(`${bed.publicUrl}/runs?namespace=red`)
  const run = {
    ...{ apiVersion: 'agents.proompteng.ai/v1alpha1', kind: 'AgentRun' },
    metadata: { namespace: 'red', name: 'to-cancel' },
    spec: {
      agentRef: { name: 'writer' },
      implementation: { inline: { text: 'x' } },
      runtime: { type: 'job' },
    },
  }
  const path = '/apis/agents.proompteng.ai/v1alpha1/namespaces/red/agentruns'
  await bed.admin.request({ method: 'POST', path, body: run })
  await page.getByRole('link', { name: 'to-cancel' }).click()
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await page.getByRole('button', { name: 'Cancel the run' }).click()
  await expect
    .poll(async () => {
      const { bytes } = await bed.admin.request({ path: `${path}/to-cancel` })
      return JSON.parse(bytes.toString('utf8')).spec.cancel
    })
    .toBe(true)
  if (bed.audit !== undefined) {
    const noted = (await bed.audit.read()).find(
      ({ verb, objectRef, impersonatedUser }) =>
        verb === 'patch' && objectRef?.name === 'to-cancel' && impersonatedUser !== undefined,
    )
    expect(noted?.impersonatedUser?.username).toBe('oidc:operator')
  }
  await signOut(page)
  await button(page).waitFor()
  await page.reload()
  await button(page).waitFor()
  expect(await bed.db.selectFrom('browser_sessions').select('id').execute()).toEqual([])
})

test('a session that is revoked shows how to sign in, without a reload', async () => {
  const page = await signIn('reader')
  const reply = await bed.ask('/v1/sessions?username=oidc:reader', {
    ...{ method: 'DELETE', token: bed.adminToken },
  })
  expect(reply.json.ended).toBe(1)
  await button(page).waitFor()
})

test('who is one of Kubernetes itself is refused, and told why', async () => {
  const page = await (await newContext()).newPage()
  await page.goto(`${bed.publicUrl}/`)
  await button(page).click()
  await enter(page, 'master')
  await page.getByText('you cannot sign in: a group of yours starts with "system:"').waitFor()
  await button(page).waitFor()
})

test('a link with an answer that another browser asked for signs nobody in', async () => {
  const attacker = await (await newContext()).newPage()
  await attacker.goto(`${bed.publicUrl}/`)
  await button(attacker).click()
  let link = ''
  attacker.on('request', (request) => {
    if (request.url().startsWith(`${bed.publicUrl}/signed-in`)) link = request.url()
  })
  // The code stays unused.
  await attacker.route('**/v1/sign-in/finish', (route) => route.abort())
  await enter(attacker, 'operator')
  await expect.poll(() => link).toContain('code=')
  const victim = await (await newContext()).newPage()
  await victim.goto(link)
  await victim.getByText('this browser did not begin to sign in').waitFor()
  expect(victim.url()).toBe(`${bed.publicUrl}/`)
  await button(victim).click()
  await enter(victim, 'reader')
  await victim.getByText('oidc:reader').first().waitFor()
})

test('a forged ID token signs nobody in', async () => {
  const page = await (await newContext()).newPage()
  await page.goto(`${bed.publicUrl}/`)
  bed.provider.state.tamper = (token) =>
    bed.provider.signed({ ...claimsOf(token), nonce: 'another' })
  try {
    await button(page).click()
    await enter(page, 'operator')
    await page.getByText('the answer of the OpenID provider is not valid').waitFor()
  } finally {
    bed.provider.state.tamper = undefined
  }
})

test('a provider that fails during a sign-in signs nobody out, and the sign-in is finished later', async () => {
  const [inside, outside] = [await signIn('operator'), await (await newContext()).newPage()]
  await outside.goto(`${bed.publicUrl}/runs`)
  await button(outside).click()
  const { promise: isDown, resolve } = Promise.withResolvers<void>()
  await outside.route(
    '**/v1/sign-in/finish',
    async (route) => {
      resolve(bed.provider.stop())
      await isDown
      await route.continue()
    },
    { times: 1 },
  )
  await enter(outside, 'reader')
  await outside.getByText('You are not signed in yet:').waitFor()
  await outside.getByText('the OpenID provider does not answer').waitFor()
  await inside.reload()
  await inside.getByText('oidc:operator').first().waitFor()
  await bed.provider.startAgain()
  await outside.getByText('oidc:reader').first().waitFor()
})
