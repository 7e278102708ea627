import { randomBytes } from 'node:crypto'
import { isMap, isScalar, isSeq, type Node } from 'yaml'
import { parseRecipients, wrapKey } from './age-key.ts'
import { ciphertextKey, readEncrypted } from './decrypt-document.ts'
import { documentLeaves, dropComments, leafOf, pathText } from './document-leaves.ts'
import { hasFingerprint, withFingerprint } from './fingerprint.ts'
import { digestOf, sealDigest } from './message-authentication.ts'
import { SopsError } from './sops-error.ts'
import { addMetadata, isEncryptedPath, type WrappedKey } from './sops-metadata.ts'
import { encryptLeaf, type Leaf } from './value-cipher.ts'
import { parseDocument, printDocument, type YamlDocument } from './yaml-document.ts'

/** The values of a Secret. */
export const secretValues = '^(data|stringData)$'

interface EncryptOptions {
  /** One YAML document. */
  readonly plaintext: string
  readonly recipients: readonly string[]
  readonly now: Date
  readonly encryptedRegex?: string
  /** The existing file. It is returned unchanged if it has the same plaintext and recipients. */
  readonly previous?: string | undefined
  /** With one of them the previous file can be read, and its unchanged values keep their ciphertext. */
  readonly identities?: readonly string[]
  /** With it, files that this very function wrote are recognised without an identity. Goes together with `path`. */
  readonly fingerprint?: { readonly key: Buffer; readonly path: string } | undefined
}

/** Encrypts as `sops --encrypt` does with age. Returns the previous file where it is known to have the same content. */
export async function encryptDocument(options: EncryptOptions): Promise<string> {
  const { plaintext, encryptedRegex = secretValues, previous, identities = [] } = options
  const recipients = await parseRecipients(options.recipients)
  const settings = { recipients, encryptedRegex }
  if (previous !== undefined && isRecognised(previous, options, settings)) return previous
  const document = parseDocument(plaintext)
  if (document.has('sops')) {
    throw new SopsError('the document has its own top-level key sops, which is reserved', {
      code: 'invalid',
    })
  }
  const old = previous === undefined ? undefined : await readPrevious(previous, identities)
  const keepsKey = old !== undefined && sameSettings(old, settings)
  if (keepsKey && old.plaintext === printDocument(parseDocument(plaintext))) return previous ?? ''

  // A former recipient may know the old key, so it is reused only for the same recipients.
  const key = keepsKey ? old.key : randomBytes(32)
  const wrapped = keepsKey ? old.age : await wrapForAll(key, recipients)
  const lastModified = `${options.now.toISOString().slice(0, 19)}Z`
  const known = keepsKey ? old.ciphertexts : new Map<string, string>()
  const mac = sealDigest(encryptLeaves(document, key, encryptedRegex, known), key, lastModified)
  addMetadata(document, {
    age: wrapped,
    lastModified,
    mac,
    rule: { kind: 'encrypted_regex', value: encryptedRegex },
    macOnlyEncrypted: false,
  })
  return marked(printDocument(document), options, settings)
}

interface Settings {
  readonly recipients: readonly string[]
  readonly encryptedRegex: string
}

function isRecognised(
  previous: string,
  { plaintext, fingerprint }: EncryptOptions,
  settings: Settings,
): boolean {
  if (fingerprint === undefined) return false
  const { key, path } = fingerprint
  return hasFingerprint(previous, key, { plaintext, path, ...settings })
}

function marked(
  file: string,
  { plaintext, fingerprint }: EncryptOptions,
  settings: Settings,
): string {
  if (fingerprint === undefined) return file
  const { key, path } = fingerprint
  return withFingerprint(file, key, { plaintext, path, ...settings })
}

interface Previous {
  readonly plaintext: string
  readonly key: Buffer
  readonly age: readonly WrappedKey[]
  readonly encryptedRegex: string | undefined
  readonly ciphertexts: ReadonlyMap<string, string>
}

/**
 * Undefined if the file is not ours, was tampered with, or cannot be decrypted with the identities: then it is written
 * again.
 */
async function readPrevious(
  file: string,
  identities: readonly string[],
): Promise<Previous | undefined> {
  if (identities.length === 0) return undefined
  try {
    const { document, metadata, key, ciphertexts } = await readEncrypted(file, identities)
    const { age, rule } = metadata
    return {
      plaintext: printDocument(document),
      key,
      age,
      encryptedRegex: rule.kind === 'encrypted_regex' ? rule.value : undefined,
      ciphertexts,
    }
  } catch (error) {
    if (error instanceof SopsError && error.code !== 'bad-key') return undefined
    throw error
  }
}

function sameSettings({ age, encryptedRegex }: Previous, wanted: Settings): boolean {
  const recipients = age.map(({ recipient }) => recipient).sort()
  return encryptedRegex === wanted.encryptedRegex && recipients.join() === wanted.recipients.join()
}

function wrapForAll(key: Buffer, recipients: readonly string[]): Promise<WrappedKey[]> {
  return Promise.all(
    recipients.map(async (recipient) => ({ recipient, enc: await wrapKey(key, recipient) })),
  )
}

/** Encrypts in place and returns the digest of the plaintext. */
function encryptLeaves(
  document: YamlDocument,
  key: Buffer,
  encryptedRegex: string,
  known: ReadonlyMap<string, string>,
): string {
  const rule = { kind: 'encrypted_regex', value: encryptedRegex } as const
  const leaves: Leaf[] = []
  for (const { scalar, keys } of [...documentLeaves(document)]) {
    const leaf = leafOf(scalar)
    leaves.push(leaf)
    if (!isEncryptedPath(rule, keys)) continue
    const path = pathText(keys)
    scalar.value = known.get(ciphertextKey(path, leaf)) ?? encryptLeaf(leaf, key, path)
    scalar.type = 'PLAIN'
    delete scalar.source
  }
  withoutComments(document.contents, [], rule)
  return digestOf(leaves)
}

function withoutComments(
  node: unknown,
  keys: readonly string[],
  rule: Parameters<typeof isEncryptedPath>[0],
): void {
  if (!isMap(node)) return
  for (const { key, value } of node.items) {
    const path = [...keys, isScalar(key) ? String(key.value) : '']
    const below = value as Node | null
    if (!isEncryptedPath(rule, path)) withoutComments(below, path, rule)
    else if (isMap(below) || isSeq(below) || isScalar(below)) dropComments(below)
  }
}
