import { generateKeyPairSync, verify } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

interface TokenService {
  readonly url: string
  /** PEM key of the only app that the service knows. */
  readonly privateKey: string
  /** All tokens issued so far, in order. */
  readonly issued: readonly string[]
  /** HTTP status to answer with instead of a token. */
  trouble: number | undefined
}

const appId = '7'
const installation = '/app/installations/8/access_tokens'
const lifeSeconds = 3600

/** A token service that verifies the signature of the app's JWT. Expiry is relative to the caller's `iat` claim. */
export async function startTokenService(): Promise<TokenService> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const issued: string[] = []
  const service = {
    url: '',
    privateKey: privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
    issued,
    trouble: undefined as number | undefined,
  }
  const claimsOf = (authorization = ''): Claims | undefined => {
    const [header = '', claims = '', signature = ''] = authorization
      .replace('Bearer ', '')
      .split('.')
    const signed = Buffer.from(`${header}.${claims}`)
    const isGenuine = verify('RSA-SHA256', signed, publicKey, Buffer.from(signature, 'base64url'))
    return isGenuine ? JSON.parse(Buffer.from(claims, 'base64url').toString()) : undefined
  }
  const server = createServer((request, response) => {
    const claims = claimsOf(request.headers.authorization)
    const isKnown = claims?.iss === appId && claims.exp - claims.iat <= 600
    if (service.trouble !== undefined) response.writeHead(service.trouble).end()
    else if (!isKnown) response.writeHead(401).end()
    else if (request.method !== 'POST' || request.url !== installation)
      response.writeHead(404).end()
    else {
      issued.push(`token-number-${issued.length + 1}`)
      const expires = new Date((claims.iat + 60 + lifeSeconds) * 1000).toISOString()
      response.writeHead(201).end(JSON.stringify({ token: issued.at(-1), expires_at: expires }))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  service.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return service
}

interface Claims {
  readonly iss: string
  readonly iat: number
  readonly exp: number
}
