import { createHash } from 'node:crypto'
import { SopsError } from './sops-error.ts'
import { decryptLeaf, encryptLeaf, type Leaf } from './value-cipher.ts'

// SOPS begins with these bytes where only encrypted values are counted, so that the two ways cannot be exchanged.
const encryptedOnlyMark = Buffer.from(
  '8a3fd2ad54ce66527b1034f3d147be0b0b975b3bf44f72c6fdadec8176f27d69',
  'hex',
)

/** The digest of a document's values, in SOPS's spelling. */
export function digestOf(leaves: Iterable<Leaf>, encryptedOnly = false): string {
  const hash = createHash('sha512')
  if (encryptedOnly) hash.update(encryptedOnlyMark)
  for (const { bytes } of leaves) hash.update(bytes)
  return hash.digest('hex').toUpperCase()
}

export function sealDigest(digest: string, key: Buffer, lastModified: string): string {
  return encryptLeaf({ type: 'str', bytes: Buffer.from(digest) }, key, lastModified)
}

export function checkDigest(
  digest: string,
  { mac, lastModified }: { readonly mac: string; readonly lastModified: string },
  key: Buffer,
): void {
  const sealed = decryptLeaf(mac, key, lastModified).bytes.toString('utf8')
  if (sealed !== digest)
    throw new SopsError('values were changed after encryption', { code: 'tampered' })
}
