import { generateKeyPairSync, verify } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { appAssertion, readPrivateKey } from './app-assertion.ts'
import { requestToken } from './request-token.ts'

const never = new AbortController().signal

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function ask(apiBaseUrl: string, signal = never) {
  return requestToken({ apiBaseUrl, installationId: '8', assertion: 'a.b.c', signal })
}

describe('a request for an app token', () => {
  test('posts the assertion to the installation, and parses token and expiry', async () => {
    const seen: string[] = []
    const url = await serve((request, response) => {
      seen.push(`${request.method} ${request.url} ${request.headers.authorization}`)
      response.writeHead(201).end('{"token":"t","expires_at":"2026-01-01T01:00:00Z"}')
    })
    expect(await ask(`${url}/api/v3/`)).toEqual({
      kind: 'issued',
      token: 't',
      expiresAt: new Date('2026-01-01T01:00:00Z'),
    })
    expect(seen).toEqual(['POST /api/v3/app/installations/8/access_tokens Bearer a.b.c'])
  })

  test('can be for some repositories and permissions only', async () => {
    let body = ''
    const apiBaseUrl = await serve(async (request, response) => {
      for await (const chunk of request) body += chunk
      response.writeHead(201).end('{"token":"t"}')
    })
    const scope = { repositories: ['app'], permissions: { pull_requests: 'write' } }
    const request = { apiBaseUrl, installationId: '8', assertion: 'a.b.c', signal: never }
    await requestToken({ ...request, scope })
    expect(JSON.parse(body)).toEqual(scope)
  })

  test.each([
    { because: 'wrong key', status: 401, body: '{}', kind: 'refused' },
    { because: 'suspended', status: 403, body: '{}', kind: 'refused' },
    { because: 'no such installation', status: 404, body: '{}', kind: 'refused' },
    { because: 'too many requests', status: 429, body: '{}', kind: 'unreachable' },
    { because: 'server error', status: 502, body: 'oops', kind: 'unreachable' },
    { because: 'redirects are not followed', status: 307, body: '', kind: 'unreachable' },
    { because: 'not JSON', status: 201, body: '<html>', kind: 'unreachable' },
    { because: 'no token', status: 201, body: '{"token":""}', kind: 'unreachable' },
    {
      because: 'a response that is too large',
      status: 201,
      body: `{"token":"${'x'.repeat(100_000)}"}`,
      kind: 'unreachable',
    },
    { because: 'an invalid expiry is ignored', status: 201, body: badEnd(), kind: 'issued' },
  ])('is $kind: $because', async ({ status, body, kind }) => {
    const url = await serve((_request, response) => {
      response.writeHead(status, { location: '/elsewhere' }).end(body)
    })
    const answer = await ask(url)
    expect(answer.kind).toBe(kind)
    expect(JSON.stringify(answer)).not.toContain('a.b.c')
  })

  test('is unreachable if the connection is refused or the scheme is not HTTP', async () => {
    expect(await ask('http://127.0.0.1:1')).toMatchObject({ kind: 'unreachable' })
    expect(await ask('ftp://127.0.0.1')).toMatchObject({ kind: 'unreachable' })
  })

  test('stops when the signal is aborted', async () => {
    const control = new AbortController()
    const url = await serve(() => control.abort(new Error('enough')))
    await expect(ask(url, control.signal)).rejects.toThrow('enough')
  })
})

function badEnd(): string {
  return '{"token":"t","expires_at":"soon"}'
}

describe('the assertion of an app', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })

  test.each(['pkcs1', 'pkcs8'] as const)('is signed with a key in %s', (type) => {
    const pem = privateKey.export({ type, format: 'pem' }).toString()
    const key = readPrivateKey(pem)
    if (!key) throw new Error('it is a key')
    const now = new Date('2026-01-01T00:00:00Z')
    const [header = '', claims = '', signature = ''] = appAssertion('7', key, now).split('.')
    const isGenuine = verify(
      'RSA-SHA256',
      Buffer.from(`${header}.${claims}`),
      publicKey,
      Buffer.from(signature, 'base64url'),
    )
    expect(isGenuine).toBe(true)
    const { iss, iat, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString())
    expect({ iss, life: exp - iat }).toEqual({ iss: '7', life: 600 })
    expect(iat).toBeLessThan(now.getTime() / 1000)
  })

  test('requires an RSA key', () => {
    const { privateKey: curve } = generateKeyPairSync('ed25519')
    expect(readPrivateKey('replace-me')).toBeUndefined()
    expect(readPrivateKey(curve.export({ type: 'pkcs8', format: 'pem' }).toString())).toBe(
      undefined,
    )
  })
})
