import type { VersionControlProvider } from '@agents/jangar-api'
import { authMatrix, type SignInMethod, type TokenType } from './auth-matrix.ts'

/** A key of a Secret or ConfigMap in the provider's namespace. */
export interface NamedKey {
  readonly name: string
  readonly key: string
}

/** How to sign in, with everything filled in that the spec leaves to us. */
export type SignIn = TokenSignIn | AppSignIn | SshSignIn | { readonly method: 'none' }

export interface TokenSignIn {
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
  /** How long a token is taken to be good when the answer does not say. */
  readonly tokenTtlSeconds: number
}

export interface SshSignIn {
  readonly method: 'ssh'
  readonly privateKey: NamedKey
  readonly knownHosts: NamedKey | undefined
}

export interface SignInProblem {
  readonly reason: 'UnsupportedAuth' | 'MissingSecretRef' | 'MissingAppAuth'
  readonly message: string
}

type Spec = VersionControlProvider['spec']
type Result = { readonly signIn: SignIn } | { readonly problem: SignInProblem }

/** Reads the spec alone: whether the Secrets are there is another question. */
export function readSignIn({ provider, auth = {} }: Spec): Result {
  const { methods, username } = authMatrix[provider]
  const method = auth.method ?? inferredMethod(auth)
  if (!methods.includes(method)) {
    return problem(
      'UnsupportedAuth',
      `${provider} has no signing in by ${method}; set spec.auth.method to ${orList(methods)}`,
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
      `${provider} has no tokens of type ${type}; set spec.auth.token.type to ${orList(tokenTypes)}`,
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
  // It becomes part of an address.
  const isNumber = /^\d+$/.test(installationId)
  if (appId === '' || !isNumber || !privateKeySecretRef) {
    return problem(
      'MissingAppAuth',
      'signing in as an app needs spec.auth.app.appId, a numeric installationId and privateKeySecretRef',
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
  const hosts = ssh.knownHostsConfigMapRef
  return {
    signIn: {
      method: 'ssh',
      privateKey: { name, key },
      knownHosts: hosts && { name: hosts.name, key: hosts.key ?? 'known_hosts' },
    },
  }
}

function problem(reason: SignInProblem['reason'], message: string): Result {
  return { problem: { reason, message } }
}

function missingSecretRef(field: string): Result {
  return problem('MissingSecretRef', `set spec.auth.${field} to the Secret to sign in with`)
}

function orList(words: readonly string[]): string {
  return words.join(' or ')
}
