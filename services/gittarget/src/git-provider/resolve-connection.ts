import {
  type Connection,
  type Credentials,
  checkConnection,
  credentialsFrom,
  isGitError,
} from '@agents/git'
import type { GitProvider } from '@agents/gittarget-api'
import type { ObjectReader, Values } from '../kubernetes/object-reader.ts'

export type ConnectionReason =
  | 'SecretNotFound'
  | 'SecretMalformed'
  | 'KnownHostsNotFound'
  | 'KnownHostsMissing'

export type ResolvedConnection =
  | { readonly ok: true; readonly connection: Connection }
  | { readonly ok: false; readonly reason: ConnectionReason; readonly message: string }

export interface ConnectionPorts {
  readonly reader: ObjectReader
  /** Repositories of this machine, by file or by HTTP to a loopback address: for tests and for the local platform. */
  readonly allowFile: boolean
}

/** How a provider's repository is reached, from the objects that it names as they are now. */
export const resolveConnection = async (
  provider: GitProvider,
  { reader, allowFile }: ConnectionPorts,
  signal: AbortSignal,
): Promise<ResolvedConnection> => {
  const { namespace } = provider.metadata
  const { url, secretRef, knownHostsRef } = provider.spec
  const secret = secretRef && (await reader.secret({ namespace, name: secretRef.name }, signal))
  if (secretRef !== undefined && secret === undefined) {
    const keys = `create it with ${keysFor(url)}`
    return problem('SecretNotFound', `the Secret ${secretRef.name} does not exist; ${keys}`)
  }
  let knownHosts = secret?.values.known_hosts
  if (knownHostsRef !== undefined) {
    const { kind, name, key } = knownHostsRef
    const read = kind === 'Secret' ? reader.secret : reader.configMap
    knownHosts = (await read({ namespace, name }, signal))?.values[key]
    if (knownHosts === undefined) {
      return problem('KnownHostsNotFound', `there is no ${key} in the ${kind} ${name}`)
    }
  }
  try {
    const caCertificates = secret && authoritiesIn(secret.values)
    const connection = {
      url,
      credentials: credentialsIn(secret?.values),
      ...(knownHosts !== undefined && { knownHosts }),
      ...(caCertificates !== undefined && { caCertificates }),
    }
    // Whether repositories of this machine may be used at all is not a question of credentials.
    checkConnection({ ...connection, allow: { file: true, loopbackHttp: true } })
    return {
      ok: true,
      connection: { ...connection, allow: { file: allowFile, loopbackHttp: allowFile } },
    }
  } catch (error) {
    if (isGitError(error, 'host-key')) return problem('KnownHostsMissing', error.message)
    if (isGitError(error)) return problem('SecretMalformed', error.message)
    throw error
  }
}

const keysFor = (url: string): string =>
  /^https?:/.test(url) ? 'username and password, or bearerToken' : 'ssh-privatekey and known_hosts'

/** Whom to trust without saying who we are is a Secret's purpose too. */
const credentialsIn = (values: Values | undefined): Credentials => {
  if (values === undefined) return { kind: 'none' }
  const names = Object.keys(values)
  const isTrustOnly = names.length > 0 && names.every((name) => AUTHORITIES.includes(name))
  return isTrustOnly ? { kind: 'none' } : credentialsFrom(values)
}

const authoritiesIn = (values: Values): string | undefined =>
  AUTHORITIES.map((name) => values[name]).find((text) => text !== undefined)

/** Ours, and an older one of Flux. */
const AUTHORITIES = ['ca.crt', 'caFile']

const problem = (reason: ConnectionReason, message: string): ResolvedConnection => ({
  ok: false,
  reason,
  message,
})

export interface SigningKey {
  readonly privateKey: string
  readonly passphrase?: string
}

/** The private key among a Secret's values; undefined when there is none. */
export const signingKeyFrom = (values: Values): SigningKey | undefined => {
  const privateKey = values['ssh-privatekey'] ?? values.identity ?? values['signing.key']
  if (privateKey === undefined) return undefined
  const given = values['ssh-password'] ?? values.passphrase ?? values.password
  // From whoever saved it as a file.
  const passphrase = given?.replace(/\r?\n$/, '')
  return { privateKey, ...(passphrase ? { passphrase } : {}) }
}
