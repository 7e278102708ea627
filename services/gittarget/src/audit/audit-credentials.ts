import { createHash, timingSafeEqual, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'

export interface AuditCredentialFiles {
  /** Certificate and key of the server, in PEM. */
  readonly certificateFile: string
  readonly keyFile: string
  /** The token that each request must have. */
  readonly tokenFile: string | undefined
  /** Certificates of the authorities of which each client must have a certificate, in PEM. */
  readonly clientAuthorityFile: string | undefined
}

/** What the files contain. */
export interface AuditCredentials {
  readonly cert: string
  readonly key: string
  /** Undefined if clients need no certificate. */
  readonly clientAuthority: string | undefined
  /** Undefined if requests need no token. */
  readonly tokenDigest: Buffer | undefined
  /** Changes with the content of any file, and reveals none of it. */
  readonly revision: string
}

const shortestToken = 16

/** Throws if a file is missing or useless, or if requests would not be authenticated. */
export async function readAuditCredentials(files: AuditCredentialFiles): Promise<AuditCredentials> {
  const { tokenFile, clientAuthorityFile } = files
  if (tokenFile === undefined && clientAuthorityFile === undefined) {
    throw new Error(
      'the audit webhook needs a token or an authority for the certificates of clients',
    )
  }
  const cert = await readFile(files.certificateFile, 'utf8')
  const key = await readFile(files.keyFile, 'utf8')
  const token = tokenFile && (await readFile(tokenFile, 'utf8')).trim()
  const clientAuthority = clientAuthorityFile && (await readFile(clientAuthorityFile, 'utf8'))
  if (token !== undefined && token.length < shortestToken) {
    throw new Error(`${tokenFile} must contain a token of at least ${shortestToken} characters`)
  }
  // Node ignores what it does not recognize as a certificate, and would then trust the authorities of the system.
  if (clientAuthority !== undefined && !isCertificate(clientAuthority)) {
    throw new Error(`${clientAuthorityFile} must contain a certificate in PEM`)
  }
  const texts = [cert, key, token ?? '', clientAuthority ?? '']
  return {
    cert,
    key,
    clientAuthority,
    tokenDigest: token === undefined ? undefined : digest(token),
    revision: digest(JSON.stringify(texts)).toString('base64'),
  }
}

/** Whether the value of the Authorization header has the token. */
export function hasToken(header: string | undefined, tokenDigest: Buffer): boolean {
  const [, sent] = /^bearer +(.*)$/i.exec(header ?? '') ?? []
  // Digests have the same length, so the comparison takes constant time.
  return sent !== undefined && timingSafeEqual(digest(sent), tokenDigest)
}

function isCertificate(text: string): boolean {
  try {
    return new X509Certificate(text).subject !== undefined
  } catch {
    return false
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
