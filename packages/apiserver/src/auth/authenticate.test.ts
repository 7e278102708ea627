import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { createServer, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ApiError } from '../status/api-error.ts'
import { createAuthenticator } from './authenticate.ts'
import { createCertificate } from './pki/certificate.ts'
import { createKeyMaterial } from './pki/key-material.ts'
import { defaultIssuer, serviceAccountTokens } from './tokens/service-account-token.ts'

const now = new Date()
const keys = createKeyMaterial(now)
const tokens = serviceAccountTokens(keys.serviceAccountKey)
const { authenticate } = createAuthenticator({
  staticTokens: new Map([['t1', { name: 'operator', uid: 'u1', groups: ['on-call'] }]]),
  serviceAccounts: tokens,
  subjects: { serviceAccountUid: () => 'uid-1', boundObjectUid: () => undefined },
  clock: () => now,
})

/** A TLS server that responds with the authenticated user. */
const server = createServer(
  {
    key: keys.servingKey,
    cert: keys.servingCertificate,
    ca: keys.caCertificate,
    requestCert: true,
    rejectUnauthorized: false,
  },
  (incoming, response) => {
    try {
      response.end(JSON.stringify(authenticate(incoming)))
    } catch (error) {
      response.statusCode = error instanceof ApiError ? error.code : 500
      response.end('{}')
    }
  },
)
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

async function ask(options: { authorization?: string; cert?: string; key?: string }) {
  const { authorization, ...certificate } = options
  const { port } = server.address() as AddressInfo
  const outgoing = request({
    host: '127.0.0.1',
    port,
    ca: keys.caCertificate,
    agent: false,
    headers: authorization ? { authorization } : {},
    ...certificate,
  })
  outgoing.end()
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  const body = (await response.toArray()).join('')
  return { code: response.statusCode, user: JSON.parse(body) }
}

function clientCertificate(issuerKey: string) {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    key: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: createCertificate({
      subject: { commonName: 'admin', organizations: ['system:masters'] },
      issuer: { commonName: 'agents-local-ca' },
      publicKey: pair.publicKey,
      issuerKey: createPrivateKey(issuerKey),
      notBefore: new Date(now.getTime() - 60_000),
      notAfter: new Date(now.getTime() + 600_000),
      usage: 'client',
    }),
  }
}

describe('a request', () => {
  test('without credentials is anonymous', async () => {
    expect((await ask({})).user).toEqual({
      name: 'system:anonymous',
      groups: ['system:unauthenticated'],
    })
  })

  test('with a token of the token file is its authenticated user', async () => {
    expect((await ask({ authorization: 'Bearer t1' })).user).toEqual({
      name: 'operator',
      uid: 'u1',
      groups: ['on-call', 'system:authenticated'],
    })
  })

  test('with a service-account token is that account', async () => {
    const subject = { namespace: 'agents', name: 'runner', uid: 'uid-1' }
    const { token } = tokens.issue(subject, { audiences: [defaultIssuer], seconds: 600, now })
    expect((await ask({ authorization: `bearer ${token}` })).user.name).toBe(
      'system:serviceaccount:agents:runner',
    )
  })

  test('with an unknown token is rejected, not anonymous', async () => {
    expect((await ask({ authorization: 'Bearer t2' })).code).toBe(401)
  })

  test("with a certificate of the server's CA is its subject", async () => {
    expect((await ask(clientCertificate(keys.caKey))).user).toEqual({
      name: 'admin',
      groups: ['system:masters', 'system:authenticated'],
    })
  })

  test('with a certificate of another CA is anonymous', async () => {
    expect((await ask(clientCertificate(createKeyMaterial(now).caKey))).user.name).toBe(
      'system:anonymous',
    )
  })
})
