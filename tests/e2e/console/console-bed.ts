import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { buildConsole } from '@agents/console'
import { type KubeClient, ServiceAccountKind } from '@agents/kube'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { type LocalPlatform, startPlatformIn } from '../../support/agentctl/local-platform.ts'
import { adminOf } from '../../support/agentctl/shared-platforms.ts'
import { startBrowser, type TestBrowser } from '../../support/testbed/browser.ts'

export interface Rule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
}

export type ConsoleBed = Awaited<ReturnType<typeof startConsoleBed>>

/** A real local platform that serves the built console, and a real Chromium. */
export async function startConsoleBed(
  settings: Readonly<Record<string, string>> = {},
  ...flags: string[]
) {
  await buildConsole()
  const [testBrowser, platform] = await Promise.all([
    startBrowser(),
    startPlatformIn(settings, '--http-port', '0', ...flags),
  ])
  const bed = consoleBed(platform, addressOf(platform), testBrowser)
  const stop = async (): Promise<void> => {
    await bed.stop()
    await testBrowser.browser.close()
    await platform.remove()
  }
  return { ...bed, stop }
}

/** What tests do with a console in browsers of their own. */
export function consoleBed<Platform extends Pick<LocalPlatform, 'stateDir'>>(
  platform: Platform,
  url: string,
  { browser, axePath }: TestBrowser,
) {
  const { admin, token: adminToken } = adminOf(platform.stateDir)
  const ca = readFileSync(join(platform.stateDir, 'cluster/pki/ca.crt'), 'utf8')
  const contexts: BrowserContext[] = []
  const newContext = async (options: BrowserContextOptions = {}): Promise<BrowserContext> => {
    const context = await browser.newContext({
      ignoreHTTPSErrors: true,
      viewport: { width: 1280, height: 800 },
      ...options,
    })
    context.setDefaultTimeout(30_000)
    contexts.push(context)
    return context
  }
  return {
    ...{ platform, url, admin, adminToken, axePath, newContext },
    /** A page of a browser of its own, signed in with a code as the owner of the token. */
    signIn: async (
      token: string = adminToken,
      path = '/runs',
      options: BrowserContextOptions = {},
    ): Promise<WatchedPage> => {
      const page = watched(await (await newContext(options)).newPage())
      await page.goto(`${url}/#code=${await codeFor(url, ca, token)}`)
      await page.getByRole('link', { name: 'Runs', exact: true }).first().waitFor()
      await page.goto(`${url}${path}`)
      return page
    },
    /** A page whose requests have the token, as behind a proxy that signs people in. */
    openWithToken: async (at: string, token: string = adminToken): Promise<WatchedPage> => {
      const extraHTTPHeaders = { authorization: `Bearer ${token}` }
      const page = watched(await (await newContext({ extraHTTPHeaders })).newPage())
      await page.goto(at)
      return page
    },
    code: (token: string) => codeFor(url, ca, token),
    stop: async () => {
      await Promise.allSettled(contexts.map((context) => context.close()))
      admin.close()
    },
  }
}

/** A page, and what its browser complained about: errors of scripts, and violations of the policy. */
export type WatchedPage = Page & { readonly complaints: string[] }

function watched(page: Page): WatchedPage {
  const complaints: string[] = []
  page.on('pageerror', ({ message }) => complaints.push(message))
  page.on('console', (message) => {
    // A lost connection and a refused request are reported too, and are shown on the page.
    const isOfNetwork = /Failed to load resource|net::ERR_/.test(message.text())
    if (message.type() === 'error' && !isOfNetwork) complaints.push(message.text())
  })
  return Object.assign(page, { complaints })
}

export function addressOf({ up }: Pick<LocalPlatform, 'up'>): string {
  return addressIn(up().stderr())
}

export function addressIn(printed: string): string {
  const line = /^The API and the console are at (https:\/\/127\.0\.0\.1:\d+)$/m
  const [, url] = line.exec(printed) ?? []
  if (url === undefined) throw new Error(`no console:\n${printed}`)
  return url
}

async function codeFor(url: string, ca: string, token: string): Promise<string> {
  const text = await new Promise<string>((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` }
    request(`${url}/v1/session/codes`, { method: 'POST', headers, ca, agent: false }, (answer) => {
      let all = ''
      answer.setEncoding('utf8').on('data', (piece: string) => {
        all += piece
      })
      answer.on('end', () => resolve(all))
    })
      .on('error', reject)
      .end()
  })
  return JSON.parse(text).code
}

/** The token of an account with these rights in the namespace. */
export async function account(
  admin: KubeClient,
  namespace: string,
  name: string,
  rules: readonly Rule[],
): Promise<string> {
  const metadata = { name, namespace }
  await admin.create(ServiceAccountKind, { apiVersion: 'v1', kind: 'ServiceAccount', metadata })
  const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`
  await admin.request({ method: 'POST', path: `${rbac}/roles`, body: { metadata, rules } })
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name }
  const subjects = [{ kind: 'ServiceAccount', name, namespace }]
  const body = { metadata, roleRef, subjects }
  await admin.request({ method: 'POST', path: `${rbac}/rolebindings`, body })
  const { bytes } = await admin.request({
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
  })
  return JSON.parse(bytes.toString('utf8')).status.token
}
