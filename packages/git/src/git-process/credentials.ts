import { GitError } from '../git-error.ts'

export type Credentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'basic'; readonly username: string; readonly password: string }
  | { readonly kind: 'bearer'; readonly token: string }
  | { readonly kind: 'ssh'; readonly privateKey: string; readonly passphrase?: string }

/**
 * Credentials from a set of named values, with the names that Flux and Argo CD use too. An SSH key comes first, then a
 * password, then a bearer token. A user name alone is a mistake, not an anonymous login.
 */
export function credentialsFrom(values: Readonly<Record<string, string>>): Credentials {
  const privateKey = values['ssh-privatekey'] ?? values.identity ?? values.sshPrivateKey
  if (privateKey !== undefined) {
    // Blanks may be part of it; a final line break comes from saving it as a file.
    const passphrase = (values['ssh-password'] ?? values.password)?.replace(/\r?\n$/, '')
    return { kind: 'ssh', privateKey, ...(passphrase ? { passphrase } : {}) }
  }
  const { username = '', password, bearerToken } = values
  if (password !== undefined) {
    if (password.trim() === '') throw new GitError('refused', 'the password is empty')
    return { kind: 'basic', username: username.trim(), password: password.trim() }
  }
  if (bearerToken !== undefined) {
    if (bearerToken.trim() === '') throw new GitError('refused', 'the bearer token is empty')
    return { kind: 'bearer', token: bearerToken.trim() }
  }
  const why =
    username === ''
      ? 'they contain none of the known keys'
      : 'they have a user name and no password'
  throw new GitError('refused', `the credentials cannot be used: ${why}`)
}

/** Every form in which these credentials could appear in a program's output. */
export function secretsOf(credentials: Credentials): string[] {
  switch (credentials.kind) {
    case 'none':
      return []
    case 'basic':
      return [
        credentials.password,
        encodeURIComponent(credentials.password),
        base64(`${credentials.username}:${credentials.password}`),
      ]
    case 'bearer':
      return [credentials.token]
    case 'ssh':
      return [credentials.privateKey, ...(credentials.passphrase ? [credentials.passphrase] : [])]
  }
}

/** The value of the `Authorization` header. Undefined if the credentials do not use one. */
export function authorizationOf(credentials: Credentials): string | undefined {
  switch (credentials.kind) {
    case 'basic':
      return `Basic ${base64(`${credentials.username}:${credentials.password}`)}`
    case 'bearer':
      return `Bearer ${credentials.token}`
    case 'none':
    case 'ssh':
      return undefined
  }
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64')
}
