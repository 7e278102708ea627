import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

/**
 * A keyed digest in the encrypted file's first line. It lets who has the key tell, without decrypting, that a file holds a given
 * plaintext; without the key it says nothing, not even about guessable values.
 */
export const fingerprintLine = (key: Buffer, subject: FingerprintSubject): string =>
  `${PREFIX}${fingerprint(key, subject)}\n`

export interface FingerprintSubject {
  readonly plaintext: string
  /** Where the file is: equal contents at two places have two fingerprints. */
  readonly path: string
  readonly recipients: readonly string[]
  readonly encryptedRegex: string
  /** The file's own seal, so that the line vouches for no other file. */
  readonly mac: string
}

export const hasFingerprint = (file: string, key: Buffer, subject: FingerprintSubject): boolean => {
  if (!file.startsWith(PREFIX)) return false
  const end = file.indexOf('\n')
  const found = Buffer.from(file.slice(PREFIX.length, end === -1 ? undefined : end).trim())
  const wanted = Buffer.from(fingerprint(key, subject))
  return found.length === wanted.length && timingSafeEqual(found, wanted)
}

/** A key for fingerprints from a secret that exists anyway, such as the age identity. */
export const fingerprintKeyFrom = (secret: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', 'agents fingerprint of encrypted files', 32))

const PREFIX = '# fingerprint: '

const fingerprint = (
  key: Buffer,
  { plaintext, path, recipients, encryptedRegex, mac }: FingerprintSubject,
): string =>
  createHmac('sha256', key)
    .update(JSON.stringify([path, recipients, encryptedRegex, mac, plaintext]))
    .digest('base64url')
