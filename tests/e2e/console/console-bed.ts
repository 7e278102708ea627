import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { buildConsole } from '@agents/console'
import { createKubeClient, type KubeClient, ServiceAccountKind } from '@agents/kube'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { type LocalPlatform, startPlatformIn } from '../../support/agentctl/local-platform.ts'
import { startBrowser } from '../../support/testbed/browser.ts'
import { connectionTo } from '../../support/testbed/server.ts'

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
  const [{ browser, axePath }, platform] = await Promise.all([
    startBrowser(),
    startPlatformIn(settings, '--http-port', '0', ...flags),
  ])
  const url = addressOf(platform)
  const { admin, token: adminToken } = adminOf(platform)
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
      await browser.close()
      await platform.remove()
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

export function addressOf(platform: LocalPlatform): string {
  const printed = /^The API and the console are at (https:\/\/127\.0\.0\.1:\d+)$/m
  const [, url] = printed.exec(platform.up().stderr()) ?? []
  if (url === undefined) throw new Error(`no console:\n${platform.up().stderr()}`)
  return url
}

function adminOf({ kubeconfig }: LocalPlatform): { admin: KubeClient; token: string } {
  const { clusters, users } = JSON.parse(readFileSync(`${kubeconfig}.json`, 'utf8'))
  const { server, 'certificate-authority-data': ca } = clusters[0].cluster
  const { token } = users[0].user
  const caPem = Buffer.from(ca, 'base64').toString('utf8')
  return { admin: createKubeClient(connectionTo(server, caPem, token)), token }
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
