import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import Provider from 'oidc-provider'

export interface Account {
  readonly groups?: unknown
  readonly email?: string
  readonly email_verified?: boolean
}

/** Changes the answer of the token endpoint, as an attacker between or beside the two would. */
export type Tamper = (idToken: string) => string | undefined

interface OpenIdServerOptions {
  readonly port: number
  readonly tls: { readonly cert: string; readonly key: string }
  /** By what people enter as their name. */
  readonly accounts: Readonly<Record<string, Account>>
  readonly client: {
    readonly id: string
    readonly secret: string
    readonly redirectUri: string
    /** Where browsers may go after signing out. */
    readonly leftUri: string
  }
}

/** A real OpenID provider, at which everybody signs in by entering a name. */
export async function startOpenIdServer(options: OpenIdServerOptions) {
  const { port, tls, accounts, client } = options
  const issuer = `https://127.0.0.1:${port}`
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const jwk = { ...privateKey.export({ format: 'jwk' }), kid: 'own', use: 'sig', alg: 'RS256' }
  const provider = new Provider(issuer, {
    clients: [
      {
        ...{ client_id: client.id, client_secret: client.secret },
        redirect_uris: [client.redirectUri],
        post_logout_redirect_uris: [client.leftUri],
      },
    ],
    jwks: { keys: [jwk] },
    cookies: { keys: ['a key for cookies of tests'] },
    // Otherwise only the userinfo endpoint has them.
    conformIdTokenClaims: false,
    claims: { openid: ['sub', 'groups', 'email', 'email_verified'] },
    pkce: { required: () => true },
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, ...accounts[id] }),
    }),
  })
  const state: { tamper: Tamper | undefined; endSessionEndpoint: string | undefined | 'own' } = {
    ...{ tamper: undefined, endSessionEndpoint: 'own' },
  }
  provider.use(async (context, next) => {
    await next()
    const { tamper, endSessionEndpoint } = state
    if (context.oidc?.route === 'discovery' && endSessionEndpoint !== 'own') {
      context.body = { ...(context.body as object), end_session_endpoint: endSessionEndpoint }
    }
    if (context.oidc?.route !== 'token' || tamper === undefined) return
    const body = context.body as { readonly id_token?: string }
    if (body.id_token !== undefined) context.body = { ...body, id_token: tamper(body.id_token) }
  })
  const exchanges: string[] = []
  const handle = provider.callback()
  let server = await listen()
  async function listen(): Promise<Server> {
    const created = createServer(tls, (request, response) => {
      if (request.url === '/token') exchanges.push(request.headers.authorization ?? '')
      handle(request, response)
    })
    created.listen(port, '127.0.0.1')
    await once(created, 'listening')
    return created
  }
  const stop = async (): Promise<void> => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return {
    issuer,
    /** Signs the claims of a token with the provider's own key. */
    signed: (claims: object) => jwt({ alg: 'RS256', kid: 'own' }, claims, privateKey),
    state,
    /** How often codes were to be redeemed. */
    exchanges,
    stop,
    startAgain: async (): Promise<void> => {
      server = await listen()
    },
  }
}

export function claimsOf(token: string): Readonly<Record<string, unknown>> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'))
}

/** A token that is signed with a key, or by HMAC with a secret, or by nothing. */
export function jwt(head: object, claims: object, key: KeyObject | string | undefined): string {
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')
  const text = `${encode(head)}.${encode(claims)}`
  if (key === undefined) return `${text}.`
  const signature =
    typeof key === 'string'
      ? createHmac('sha256', key).update(text).digest()
      : sign('sha256', Buffer.from(text), key)
  return `${text}.${signature.toString('base64url')}`
}
