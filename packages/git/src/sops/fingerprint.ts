import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

/**
 * A keyed digest in the encrypted file's first line. It lets who has the key tell, without decrypting, that a file holds a given
 * plaintext; without the key it says nothing, not even about guessable values.
 */
export const withFingerprint = (file: string, key: Buffer, subject: FingerprintSubject): string =>
  `${PREFIX}${fingerprint(file, key, subject)}\n${file}`

export interface FingerprintSubject {
  readonly plaintext: string
  /** Where the file is: equal contents at two places have two fingerprints. */
  readonly path: string
  readonly recipients: readonly string[]
  readonly encryptedRegex: string
}

/** Whether the line is there and vouches for every byte after it. */
export const hasFingerprint = (text: string, key: Buffer, subject: FingerprintSubject): boolean => {
  const end = text.indexOf('\n')
  if (!text.startsWith(PREFIX) || end === -1) return false
  const found = Buffer.from(text.slice(PREFIX.length, end))
  const wanted = Buffer.from(fingerprint(text.slice(end + 1), key, subject))
  return found.length === wanted.length && timingSafeEqual(found, wanted)
}

/** A key for fingerprints from a secret that exists anyway, such as the age identity. */
export const fingerprintKeyFrom = (secret: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', 'agents fingerprint of encrypted files', 32))

const PREFIX = '# fingerprint: '

const fingerprint = (
  file: string,
  key: Buffer,
  { plaintext, path, recipients, encryptedRegex }: FingerprintSubject,
): string =>
  createHmac('sha256', key)
    .update(JSON.stringify([path, recipients, encryptedRegex, plaintext, file]))
    .digest('base64url')
