import { readFile } from 'node:fs/promises'
import type { ConnectionOptions } from 'node:tls'
import type { ConfigOf } from '@agents/config'
import type { requiredDatabase } from '../config/database.ts'

export type DatabaseConfig = ConfigOf<typeof requiredDatabase>

type Mode = NonNullable<DatabaseConfig['sslMode']>

/** The connection cannot be made or trusted. The message names the setting to change and contains no credentials. */
class DatabaseTlsError extends Error {
  override name = 'DatabaseTlsError'
}

interface DatabaseConnection {
  readonly connectionString: string
  /** Undefined: the driver decides. */
  readonly ssl: ConnectionOptions | false | undefined
}

/** The environment takes precedence over the URL; the driver does the reverse. */
export async function databaseConnection(config: DatabaseConfig): Promise<DatabaseConnection> {
  const { connectionString, mode, rootCert } = splitTlsParameters(config.url)
  const path = config.sslRootCert ?? rootCert
  const ca = path === undefined ? undefined : await readAuthority(path)
  return { connectionString, ssl: tlsOptions(config.sslMode ?? mode, ca) }
}

/** Converts certificate errors into messages that say what to do. Returns other errors unchanged. */
export function explainTls(error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return new DatabaseTlsError(
      `The certificate of PostgreSQL does not contain the host in DATABASE_URL (${message}). Use a host name that the certificate contains, or set PGSSLMODE=verify-ca.`,
      { cause: error },
    )
  }
  if (code !== undefined && untrusted.has(code)) {
    return new DatabaseTlsError(
      `The certificate of PostgreSQL is not signed by a trusted authority (${message}). Set PGSSLROOTCERT (database.caSecret of the chart) to a file with the certificate of the authority that signed it.`,
      { cause: error },
    )
  }
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') {
    return new DatabaseTlsError(
      `The certificate of PostgreSQL has expired or is not valid yet (${message}). Renew the certificate, or correct the clock.`,
      { cause: error },
    )
  }
  return error
}

const untrusted = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_SIGNATURE_FAILURE',
])

/**
 * Interprets modes as libpq does, except that `allow` and `prefer` do not try both ways: they use TLS only if a
 * certificate authority is configured.
 */
function tlsOptions(
  mode: Mode | undefined,
  ca: string | undefined,
): ConnectionOptions | false | undefined {
  if (mode === 'disable') return false
  if (mode === undefined && ca === undefined) return undefined
  if (mode === 'verify-full') return { ...(ca && { ca }) }
  // As in libpq, require with a certificate authority means verify-ca.
  if (ca !== undefined) return { ca, checkServerIdentity: () => undefined }
  if (mode === 'verify-ca') return { checkServerIdentity: () => undefined }
  return mode === 'require' ? { rejectUnauthorized: false } : false
}

async function readAuthority(path: string): Promise<string> {
  let pem: string
  try {
    pem = await readFile(path, 'utf8')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new DatabaseTlsError(
      `The file ${path} in PGSSLROOTCERT cannot be read (${code}). Mount the certificate of PostgreSQL's authority there.`,
      { cause },
    )
  }
  if (pem.includes('-----BEGIN CERTIFICATE-----')) return pem
  throw new DatabaseTlsError(`The file ${path} in PGSSLROOTCERT contains no PEM certificate.`)
}

interface UrlParts {
  readonly connectionString: string
  readonly mode?: Mode | undefined
  readonly rootCert?: string | undefined
}

/** Splits the TLS parameters from a URL. A URL with values that only the driver knows is left unchanged. */
function splitTlsParameters(url: string): UrlParts {
  if (!URL.canParse(url)) return { connectionString: url }
  const parsed = new URL(url)
  const { searchParams } = parsed
  const mode = searchParams.get('sslmode') ?? undefined
  const rootCert = searchParams.get('sslrootcert') ?? undefined
  if (mode === undefined && rootCert === undefined) return { connectionString: url }
  if (mode !== undefined && !isMode(mode)) return { connectionString: url }
  searchParams.delete('sslmode')
  searchParams.delete('sslrootcert')
  return { connectionString: parsed.href, mode, rootCert }
}

const modes: Readonly<Record<Mode, true>> = {
  disable: true,
  allow: true,
  prefer: true,
  require: true,
  'verify-ca': true,
  'verify-full': true,
}

function isMode(word: string): word is Mode {
  return Object.hasOwn(modes, word)
}
