import type { VersionControlProvider } from '@agents/jangar-api'
import { authMatrix, type SignInMethod, type TokenType } from './auth-matrix.ts'

/** A key of a Secret or ConfigMap in the provider's namespace. */
export interface NamedKey {
  readonly name: string
  readonly key: string
}

/** How to authenticate, with all defaults applied. */
export type SignIn = TokenSignIn | AppSignIn | SshSignIn | { readonly method: 'none' }

interface TokenSignIn {
  readonly method: 'token'
  readonly username: string
  readonly secret: NamedKey
  readonly type: TokenType | undefined
}

export interface AppSignIn {
  readonly method: 'app'
  readonly username: string
  readonly appId: string
  readonly installationId: string
  readonly privateKey: NamedKey
  /** Lifetime of a token if the response does not specify it. */
  readonly tokenTtlSeconds: number
}

interface SshSignIn {
  readonly method: 'ssh'
  readonly privateKey: NamedKey
  readonly knownHosts: NamedKey | undefined
  readonly hostKeyPolicy: 'Strict' | 'AcceptNew'
}

interface SignInProblem {
  readonly reason: 'UnsupportedAuth' | 'MissingSecretRef' | 'MissingAppAuth' | 'MissingKnownHosts'
  readonly message: string
}

type Spec = VersionControlProvider['spec']
type Result = { readonly signIn: SignIn } | { readonly problem: SignInProblem }

/** Reads the spec only, without checking that the Secrets exist. */
export function readSignIn({ provider, auth = {} }: Spec): Result {
  const { methods, username } = authMatrix[provider]
  const method = auth.method ?? inferredMethod(auth)
  if (!methods.includes(method)) {
    return problem(
      'UnsupportedAuth',
      `provider ${provider} does not support authentication method ${method}; set spec.auth.method to ${orList(methods)}`,
    )
  }
  const user = auth.username ?? username
  switch (method) {
    case 'none':
      return { signIn: { method } }
    case 'token':
      return readToken(provider, auth, user)
    case 'app':
      return readApp(auth, user)
    case 'ssh':
      return readSsh(auth)
  }
}

type Auth = NonNullable<Spec['auth']>

function inferredMethod({ token, app, ssh }: Auth): SignInMethod {
  if (token?.secretRef) return 'token'
  if (app?.privateKeySecretRef) return 'app'
  return ssh?.privateKeySecretRef ? 'ssh' : 'none'
}

function readToken(provider: Spec['provider'], { token }: Auth, username: string): Result {
  const { tokenTypes, defaultTokenType } = authMatrix[provider]
  const type = token?.type ?? defaultTokenType
  if (type !== undefined && !tokenTypes.includes(type)) {
    return problem(
      'UnsupportedAuth',
      `provider ${provider} does not support token type ${type}; set spec.auth.token.type to ${orList(tokenTypes)}`,
    )
  }
  if (!token?.secretRef) return missingSecretRef('token.secretRef')
  const { name, key = 'token' } = token.secretRef
  return { signIn: { method: 'token', username, secret: { name, key }, type } }
}

function readApp({ app = {} }: Auth, username: string): Result {
  const { privateKeySecretRef, tokenTtlSeconds } = app
  const appId = String(app.appId ?? '').trim()
  const installationId = String(app.installationId ?? '').trim()
  // The id becomes part of a URL.
  const isNumber = /^\d+$/.test(installationId)
  if (appId === '' || !isNumber || !privateKeySecretRef) {
    return problem(
      'MissingAppAuth',
      'app authentication needs spec.auth.app.appId, a numeric installationId and privateKeySecretRef',
    )
  }
  const { name, key = 'privateKey' } = privateKeySecretRef
  return {
    signIn: {
      method: 'app',
      username,
      appId,
      installationId,
      privateKey: { name, key },
      tokenTtlSeconds: tokenTtlSeconds || 3600,
    },
  }
}

function readSsh({ ssh = {} }: Auth): Result {
  if (!ssh.privateKeySecretRef) return missingSecretRef('ssh.privateKeySecretRef')
  const { name, key = 'privateKey' } = ssh.privateKeySecretRef
  const { knownHostsConfigMapRef: hosts, hostKeyPolicy = 'Strict' } = ssh
  if (hosts === undefined && hostKeyPolicy === 'Strict') {
    return problem(
      'MissingKnownHosts',
      'no host keys are trusted; set spec.auth.ssh.knownHostsConfigMapRef, or hostKeyPolicy to AcceptNew',
    )
  }
  return {
    signIn: {
      method: 'ssh',
      privateKey: { name, key },
      knownHosts: hosts && { name: hosts.name, key: hosts.key ?? 'known_hosts' },
      hostKeyPolicy,
    },
  }
}

function problem(reason: SignInProblem['reason'], message: string): Result {
  return { problem: { reason, message } }
}

function missingSecretRef(field: string): Result {
  return problem(
    'MissingSecretRef',
    `no Secret with credentials is specified; set spec.auth.${field}`,
  )
}

function orList(words: readonly string[]): string {
  return words.join(' or ')
}
