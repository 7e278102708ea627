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

const ask = (apiBaseUrl: string, signal = never) =>
  requestToken({ apiBaseUrl, installationId: '8', assertion: 'a.b.c', signal })

describe('asking for the token of an app', () => {
  test('posts the assertion to the installation, and reads token and end', async () => {
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

  test.each([
    { because: 'wrong key', status: 401, body: '{}', kind: 'refused' },
    { because: 'suspended', status: 403, body: '{}', kind: 'refused' },
    { because: 'no such installation', status: 404, body: '{}', kind: 'refused' },
    { because: 'too many requests', status: 429, body: '{}', kind: 'unreachable' },
    { because: 'the service has trouble', status: 502, body: 'oops', kind: 'unreachable' },
    { because: 'the assertion is not taken elsewhere', status: 307, body: '', kind: 'unreachable' },
    { because: 'no JSON', status: 201, body: '<html>', kind: 'unreachable' },
    { because: 'no token', status: 201, body: '{"token":""}', kind: 'unreachable' },
    {
      because: 'more than a token can be',
      status: 201,
      body: `{"token":"${'x'.repeat(100_000)}"}`,
      kind: 'unreachable',
    },
    { because: 'an end that is no time is none', status: 201, body: badEnd(), kind: 'issued' },
  ])('is $kind: $because', async ({ status, body, kind }) => {
    const url = await serve((_request, response) => {
      response.writeHead(status, { location: '/elsewhere' }).end(body)
    })
    const answer = await ask(url)
    expect(answer.kind).toBe(kind)
    expect(JSON.stringify(answer)).not.toContain('a.b.c')
  })

  test('is unreachable where nobody listens, or the address is none of HTTP', async () => {
    expect(await ask('http://127.0.0.1:1')).toMatchObject({ kind: 'unreachable' })
    expect(await ask('ftp://127.0.0.1')).toMatchObject({ kind: 'unreachable' })
  })

  test('ends with the signal', async () => {
    const control = new AbortController()
    const url = await serve(() => control.abort(new Error('enough')))
    await expect(ask(url, control.signal)).rejects.toThrow('enough')
  })
})

function badEnd(): string {
  return '{"token":"t","expires_at":"soon"}'
}

describe('the word of an app', () => {
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

  test('takes no other key', () => {
    const { privateKey: curve } = generateKeyPairSync('ed25519')
    expect(readPrivateKey('replace-me')).toBeUndefined()
    expect(readPrivateKey(curve.export({ type: 'pkcs8', format: 'pem' }).toString())).toBe(
      undefined,
    )
  })
})
