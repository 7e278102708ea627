import { readFile } from 'node:fs/promises'
import type { ConnectionOptions } from 'node:tls'
import type { ConfigOf } from '@agents/config'
import type { requiredDatabase } from '../config/database.ts'

export type DatabaseConfig = ConfigOf<typeof requiredDatabase>

type Mode = NonNullable<DatabaseConfig['sslMode']>

/** No connection, or none that can be trusted. The message names the setting to change; it holds no credential. */
class DatabaseTlsError extends Error {
  override name = 'DatabaseTlsError'
}

export interface DatabaseConnection {
  readonly connectionString: string
  /** Undefined leaves it to the driver. */
  readonly ssl: ConnectionOptions | false | undefined
}

/** What the environment says goes before what the URL says; the driver would have it the other way round. */
export async function databaseConnection(config: DatabaseConfig): Promise<DatabaseConnection> {
  const { connectionString, mode, rootCert } = takeTlsWords(config.url)
  const path = config.sslRootCert ?? rootCert
  const ca = path === undefined ? undefined : await readAuthority(path)
  return { connectionString, ssl: tlsOptions(config.sslMode ?? mode, ca) }
}

/** A reason to refuse a certificate, in words that say what to do; any other error as it is. */
export function explainTls(error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return new DatabaseTlsError(
      `The certificate of PostgreSQL is for other names than the host in DATABASE_URL (${message}). Use a name that it holds, or PGSSLMODE=verify-ca.`,
      { cause: error },
    )
  }
  if (code !== undefined && untrusted.has(code)) {
    return new DatabaseTlsError(
      `The certificate of PostgreSQL is not signed by a trusted authority (${message}). Set PGSSLROOTCERT (database.caSecret of the chart) to a file with the certificate of the one that signed it.`,
      { cause: error },
    )
  }
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') {
    return new DatabaseTlsError(
      `The certificate of PostgreSQL is not valid now (${message}). Renew it, or set the clock.`,
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
 * In the words of libpq, but for one thing: `allow` and `prefer` do not try both ways. They are plain, or encrypted when there is
 * a certificate authority to check the server with.
 */
function tlsOptions(
  mode: Mode | undefined,
  ca: string | undefined,
): ConnectionOptions | false | undefined {
  if (mode === 'disable') return false
  if (mode === undefined && ca === undefined) return undefined
  if (mode === 'verify-full') return { ...(ca && { ca }) }
  // As libpq has it: with a certificate authority, require is verify-ca.
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
      `PGSSLROOTCERT is ${path}, which cannot be read (${code}). Mount the certificate of PostgreSQL's authority there.`,
      { cause },
    )
  }
  if (pem.includes('-----BEGIN CERTIFICATE-----')) return pem
  throw new DatabaseTlsError(`PGSSLROOTCERT is ${path}, which holds no certificate in PEM.`)
}

interface UrlParts {
  readonly connectionString: string
  readonly mode?: Mode | undefined
  readonly rootCert?: string | undefined
}

/** A URL without the words about TLS, and these. One with words of other drivers is left to the driver. */
function takeTlsWords(url: string): UrlParts {
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
