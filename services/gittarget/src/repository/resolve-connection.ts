import {
  type Connection,
  type Credentials,
  checkConnection,
  credentialsFrom,
  isGitError,
} from '@agents/git'
import type { GitProvider } from '@agents/gittarget-api'
import type { ObjectReader, Values } from '../kubernetes/object-reader.ts'

type ConnectionReason =
  | 'SecretNotFound'
  | 'SecretMalformed'
  | 'KnownHostsNotFound'
  | 'KnownHostsMissing'

export type ResolvedConnection =
  | { readonly ok: true; readonly connection: Connection }
  | { readonly ok: false; readonly reason: ConnectionReason; readonly message: string }

export interface ConnectionPorts {
  readonly reader: ObjectReader
  /**
   * Whether repositories on this machine may be used, by file or by HTTP to a loopback address, for tests and the
   * local platform.
   */
  readonly allowFile: boolean
}

/** Resolves the connection to a provider's repository from the current content of its Secret and ConfigMap. */
export async function resolveConnection(
  provider: GitProvider,
  { reader, allowFile }: ConnectionPorts,
  signal: AbortSignal,
): Promise<ResolvedConnection> {
  const { namespace } = provider.metadata
  const { url, secretRef, knownHostsRef } = provider.spec
  const secret = secretRef && (await reader.secret({ namespace, name: secretRef.name }, signal))
  if (secretRef !== undefined && secret === undefined) {
    const keys = `create it with ${keysFor(url)}`
    return problem('SecretNotFound', `Secret ${secretRef.name} does not exist; ${keys}`)
  }
  let knownHosts = secret?.values.known_hosts
  if (knownHostsRef !== undefined) {
    const { kind, name, key } = knownHostsRef
    const read = kind === 'Secret' ? reader.secret : reader.configMap
    knownHosts = (await read({ namespace, name }, signal))?.values[key]
    if (knownHosts === undefined) {
      return problem('KnownHostsNotFound', `${kind} ${name} does not exist or has no key ${key}`)
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
    // Whether repositories on this machine are allowed is checked elsewhere; it is not a problem of the credentials.
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

function keysFor(url: string): string {
  return /^https?:/.test(url)
    ? 'username and password, or bearerToken'
    : 'ssh-privatekey and known_hosts'
}

/** A Secret may also contain certificates to trust, without credentials. */
function credentialsIn(values: Values | undefined): Credentials {
  if (values === undefined) return { kind: 'none' }
  const names = Object.keys(values)
  const isTrustOnly = names.length > 0 && names.every((name) => authorities.includes(name))
  return isTrustOnly ? { kind: 'none' } : credentialsFrom(values)
}

function authoritiesIn(values: Values): string | undefined {
  return authorities.map((name) => values[name]).find((text) => text !== undefined)
}

/** The second is an older name of Flux. */
const authorities = ['ca.crt', 'caFile']

function problem(reason: ConnectionReason, message: string): ResolvedConnection {
  return {
    ok: false,
    reason,
    message,
  }
}

export interface SigningKey {
  readonly privateKey: string
  readonly passphrase?: string
}

/** The private key in a Secret; undefined if it contains none. */
export function signingKeyFrom(values: Values): SigningKey | undefined {
  const privateKey = values['ssh-privatekey'] ?? values.identity ?? values['signing.key']
  if (privateKey === undefined) return undefined
  const given = values['ssh-password'] ?? values.passphrase ?? values.password
  // Editors and shells append a line break when a passphrase is saved as a file.
  const passphrase = given?.replace(/\r?\n$/, '')
  return { privateKey, ...(passphrase ? { passphrase } : {}) }
}
