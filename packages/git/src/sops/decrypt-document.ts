import { unwrapKey } from './age-key.ts'
import { documentLeaves, leafOf, pathText, plainValue } from './document-leaves.ts'
import { checkDigest, digestOf } from './message-authentication.ts'
import { SopsError } from './sops-error.ts'
import { isEncryptedPath, type SopsMetadata, takeMetadata } from './sops-metadata.ts'
import { decryptLeaf, type Leaf } from './value-cipher.ts'
import { parseDocument, printDocument, type YamlDocument } from './yaml-document.ts'

/** Decrypts as `sops --decrypt` does, and checks that nothing was changed. */
export async function decryptDocument(
  file: string,
  identities: readonly string[],
): Promise<string> {
  return printDocument((await readEncrypted(file, identities)).document)
}

interface DecryptedFile {
  readonly document: YamlDocument
  readonly metadata: SopsMetadata
  readonly key: Buffer
  /** The ciphertext of each value, to be used again while the value stays the same. */
  readonly ciphertexts: ReadonlyMap<string, string>
}

export async function readEncrypted(
  file: string,
  identities: readonly string[],
): Promise<DecryptedFile> {
  const document = parseDocument(file)
  document.commentBefore = null
  const metadata = takeMetadata(document)
  const key = await dataKey(metadata, identities)
  const ciphertexts = new Map<string, string>()
  const counted: Leaf[] = []
  for (const { scalar, keys } of [...documentLeaves(document)]) {
    if (!isEncryptedPath(metadata.rule, keys)) {
      if (!metadata.macOnlyEncrypted) counted.push(leafOf(scalar))
      continue
    }
    if (typeof scalar.value !== 'string') {
      throw new SopsError(`the value at ${pathText(keys)} is not encrypted`, { code: 'invalid' })
    }
    const path = pathText(keys)
    const leaf = decryptLeaf(scalar.value, key, path)
    ciphertexts.set(ciphertextKey(path, leaf), scalar.value)
    counted.push(leaf)
    scalar.value = plainValue(leaf)
    delete scalar.type
    delete scalar.source
  }
  checkDigest(digestOf(counted, metadata.macOnlyEncrypted), metadata, key)
  return { document, metadata, key, ciphertexts }
}

/** A value keeps its ciphertext while it keeps its place. */
export function ciphertextKey(path: string, { type, bytes }: Leaf): string {
  return `${path}\0${type}\0${bytes.toString('latin1')}`
}

async function dataKey({ age }: SopsMetadata, identities: readonly string[]): Promise<Buffer> {
  for (const { enc } of age) {
    const key = await unwrapKey(enc, identities)
    if (key?.length === 32) return key
  }
  throw new SopsError('none of the age identities can decrypt the file', { code: 'no-identity' })
}
