import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

/**
 * Adds a keyed digest as the encrypted file's first line. With the key it shows, without decryption, that a file has a
 * given plaintext; without the key it reveals nothing, not even about guessable values.
 */
export function withFingerprint(file: string, key: Buffer, subject: FingerprintSubject): string {
  return `${linePrefix}${fingerprint(file, key, subject)}\n${file}`
}

interface FingerprintSubject {
  readonly plaintext: string
  /** Where the file is: equal contents at two places have two fingerprints. */
  readonly path: string
  readonly recipients: readonly string[]
  readonly encryptedRegex: string
}

/** Whether the file has a fingerprint that matches every byte after it. */
export function hasFingerprint(text: string, key: Buffer, subject: FingerprintSubject): boolean {
  const end = text.indexOf('\n')
  if (!text.startsWith(linePrefix) || end === -1) return false
  const found = Buffer.from(text.slice(linePrefix.length, end))
  const wanted = Buffer.from(fingerprint(text.slice(end + 1), key, subject))
  return found.length === wanted.length && timingSafeEqual(found, wanted)
}

/** A key for fingerprints from a secret that exists anyway, such as the age identity. */
export function fingerprintKeyFrom(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'agents fingerprint of encrypted files', 32))
}

const linePrefix = '# fingerprint: '

function fingerprint(
  file: string,
  key: Buffer,
  { plaintext, path, recipients, encryptedRegex }: FingerprintSubject,
): string {
  return createHmac('sha256', key)
    .update(JSON.stringify([path, recipients, encryptedRegex, plaintext, file]))
    .digest('base64url')
}
