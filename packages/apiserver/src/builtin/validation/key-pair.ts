import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { pemBlocks } from './pem-blocks.ts'

/** Go's error message for a certificate and key that do not match; undefined if they do. Both are PEM. */
export function keyPairError(certificate: string, key: string): string | undefined {
  const certificates = blocks(certificate, /^CERTIFICATE$/)
  const keys = blocks(key, /^(?:.* )?PRIVATE KEY$/)
  if (certificates.length === 0) return missing('certificate', certificate)
  if (keys.length === 0) return missing('key', key)
  const parsed = attempt(() => new X509Certificate(certificates[0] ?? ''))
  if (parsed === undefined) return 'x509: malformed certificate'
  const secret = attempt((): KeyObject => createPrivateKey(keys[0] ?? ''))
  if (secret === undefined) return 'tls: failed to parse private key'
  return parsed.checkPrivateKey(secret) ? undefined : 'tls: private key does not match public key'
}

function missing(what: 'certificate' | 'key', text: string): string {
  const other = pemBlocks(text)
  if (other.length === 0) return `tls: failed to find any PEM data in ${what} input`
  const wanted =
    what === 'key' ? 'PEM block with type ending in "PRIVATE KEY"' : '"CERTIFICATE" PEM block'
  const skipped = other.map(({ type }) => type).join(' ')
  return `tls: failed to find ${wanted} in ${what} input after skipping PEM blocks of the following types: [${skipped}]`
}

function blocks(text: string, type: RegExp): string[] {
  return pemBlocks(text).flatMap((block) => (type.test(block.type) ? [block.whole] : []))
}

function attempt<T>(make: () => T): T | undefined {
  try {
    return make()
  } catch {
    return undefined
  }
}
