import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { VersionControlProvider } from '@agents/jangar-api'
import type { KubeClient } from '@agents/kube'
import { describe, expect, onTestFinished, test } from 'vitest'
import { forgeTokens, ofMerging } from './forge-token.ts'

const signal = new AbortController().signal
const now = new Date('2026-01-01T00:00:00Z')
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

/** A service that issues tokens for an hour, and refuses permissions that the app does not have. */
async function service(granted: readonly string[]) {
  const scopes: { repositories: string[]; permissions: Record<string, string> }[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const scope = JSON.parse(text)
    scopes.push(scope)
    const isGranted = Object.keys(scope.permissions).every((one) => granted.includes(one))
    const answer = { token: `token-${scopes.length}`, expires_at: '2026-01-01T01:00:00Z' }
    response.writeHead(isGranted ? 201 : 422).end(isGranted ? JSON.stringify(answer) : '{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { apiBaseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, scopes }
}

function clientWith(data: Readonly<Record<string, string>>): Pick<KubeClient, 'get'> {
  const encoded = Object.entries(data).map(([key, value]) => [
    key,
    Buffer.from(value).toString('base64'),
  ])
  const secret = {
    metadata: { name: 's', resourceVersion: '1' },
    data: Object.fromEntries(encoded),
  }
  return { get: async () => secret } as unknown as Pick<KubeClient, 'get'>
}

function provider(auth: VersionControlProvider['spec']['auth']): VersionControlProvider {
  return {
    ...{ apiVersion: 'v', kind: 'VersionControlProvider', metadata: { name: 'hub', uid: 'u' } },
    spec: { provider: 'github', ...(auth && { auth }) },
  }
}

const app = { appId: 7, installationId: '8', privateKeySecretRef: { name: 's' } }

describe('the token of an app', () => {
  test('is for one repository and for pull requests, and is used until it expires', async () => {
    const { apiBaseUrl, scopes } = await service(['pull_requests', 'checks', 'statuses'])
    const tokens = forgeTokens(clientWith({ privateKey: pem }))
    const question = { provider: provider({ app }), apiBaseUrl, now, signal }
    const first = await tokens({ ...question, repository: 'o/app' })
    expect(first).toEqual({ kind: 'token', token: 'token-1' })
    expect(scopes).toEqual([
      {
        repositories: ['app'],
        permissions: { pull_requests: 'write', checks: 'read', statuses: 'read' },
      },
    ])
    expect(await tokens({ ...question, repository: 'o/app' })).toEqual(first)
    await tokens({ ...question, repository: 'o/other' })
    expect(scopes).toHaveLength(2)
    const later = new Date(now.getTime() + 56 * 60_000)
    await tokens({ ...question, now: later, repository: 'o/app' })
    expect(scopes).toHaveLength(3)
  })

  test('does without checks if the app may not read them', async () => {
    const { apiBaseUrl, scopes } = await service(['pull_requests'])
    const tokens = forgeTokens(clientWith({ privateKey: pem }))
    const question = { provider: provider({ app }), apiBaseUrl, now, signal }
    const found = await tokens({ ...question, repository: 'o/app' })
    expect(found).toEqual({ kind: 'token', token: 'token-2' })
    expect(scopes[1]?.permissions).toEqual({ pull_requests: 'write' })
  })

  test('that merges has the two permissions that this needs, and does not do with less', async () => {
    const { apiBaseUrl, scopes } = await service(['pull_requests', 'checks', 'statuses'])
    const tokens = forgeTokens(clientWith({ privateKey: pem }), ofMerging)
    const question = { provider: provider({ app }), apiBaseUrl, now, signal }
    const found = await tokens({ ...question, repository: 'o/app' })
    expect(found).toMatchObject({ kind: 'problem' })
    const permissions = { contents: 'write', pull_requests: 'write' }
    expect(scopes).toEqual([{ repositories: ['app'], permissions }])
  })

  test('that is refused is a problem without the key in it', async () => {
    const { apiBaseUrl } = await service([])
    const tokens = forgeTokens(clientWith({ privateKey: pem }))
    const question = { provider: provider({ app }), apiBaseUrl, now, signal }
    const found = await tokens({ ...question, repository: 'o/app' })
    expect(found).toMatchObject({ kind: 'problem', message: expect.stringContaining('422') })
  })
})

test('a given token is read when it is needed', async () => {
  const auth = { token: { secretRef: { name: 's' } } }
  const question = {
    ...{ provider: provider(auth), apiBaseUrl: 'https://h', now, signal, repository: 'o/r' },
  }
  const found = await forgeTokens(clientWith({ token: 'abc\n' }))(question)
  expect(found).toEqual({ kind: 'token', token: 'abc' })
  expect(await forgeTokens(clientWith({}))(question)).toMatchObject({ kind: 'problem' })
})
