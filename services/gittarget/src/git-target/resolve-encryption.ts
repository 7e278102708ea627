import { createHash, randomBytes } from 'node:crypto'
import {
  decryptDocument,
  encryptDocument,
  fingerprintKeyFrom,
  generateAgeKey,
  parseIdentities,
  parseRecipients,
  recipientOf,
  SopsError,
} from '@agents/git'
import type { GitTarget } from '@agents/gittarget-api'
import { isAlreadyExists, type KubeClient, SecretKind } from '@agents/kube'
import type { ObjectReader, Values } from '../kubernetes/object-reader.ts'
import type { MirrorEncryption } from '../mirror/snapshot/render-file.ts'

export type ResolvedEncryption =
  | { readonly kind: 'off' }
  | { readonly kind: 'on'; readonly encryption: MirrorEncryption; readonly recipientsHash: string }
  | EncryptionProblem

interface EncryptionProblem {
  readonly kind: 'problem'
  readonly reason: 'MissingSecret' | 'InvalidRecipients' | 'SecretCreateDisabled'
  readonly message: string
}

export interface EncryptionPorts {
  readonly reader: ObjectReader
  readonly client: Pick<KubeClient, 'create'>
  /** Recognizes unchanged Secrets of targets without their own key. */
  readonly fingerprintKey: Buffer
}

/** Resolves the keys for a target's Secrets, and tests them if an identity is available. */
export async function resolveEncryption(
  target: GitTarget,
  ports: EncryptionPorts,
  signal: AbortSignal,
): Promise<ResolvedEncryption> {
  const { encryption } = target.spec
  if (encryption === undefined) return { kind: 'off' }
  const secretOf = ({ name }: { name: string }, make: MakeSecret): Promise<Values | undefined> => {
    const key = { namespace: target.metadata.namespace ?? '', name }
    return readOrCreate(key, encryption.autoCreate ? make : undefined, ports, signal)
  }
  const identities = await identitiesOf(encryption, secretOf)
  if ('kind' in identities) return identities
  const fingerprintText = await fingerprintTextOf(encryption, secretOf)
  if (typeof fingerprintText === 'object') return fingerprintText
  try {
    const own = await Promise.all(identities.map(recipientOf))
    const recipients = await parseRecipients([...(encryption.recipients ?? []), ...own])
    await testEncryption(recipients, identities)
    const secret = fingerprintText ?? identities[0]
    const fingerprintKey = secret === undefined ? ports.fingerprintKey : fingerprintKeyFrom(secret)
    return {
      kind: 'on',
      encryption: { recipients, identities, fingerprintKey },
      recipientsHash: createHash('sha256').update(recipients.join()).digest('hex').slice(0, 16),
    }
  } catch (error) {
    if (!(error instanceof SopsError)) throw error
    return problem('InvalidRecipients', error.message)
  }
}

type Encryption = NonNullable<GitTarget['spec']['encryption']>
/** Content of a new Secret, and the recipient of its key. */
type MakeSecret = () => Promise<{ stringData: Record<string, string>; recipient?: string }>
type SecretOf = (ref: { name: string }, make: MakeSecret) => Promise<Values | undefined>

async function identitiesOf(
  { secretRef }: Encryption,
  secretOf: SecretOf,
): Promise<string[] | EncryptionProblem> {
  if (secretRef === undefined) return []
  const values = await secretOf(secretRef, async () => {
    const { identity, recipient } = await generateAgeKey()
    return { stringData: { 'identity.agekey': `${identity}\n` }, recipient }
  })
  if (values === undefined) return secretNotFound(secretRef)
  const identities = await identitiesIn(values)
  if (identities.length > 0) return identities
  const message = `Secret ${secretRef.name} does not contain an age identity (AGE-SECRET-KEY-…)`
  return problem('MissingSecret', message)
}

async function fingerprintTextOf(
  { fingerprintRef }: Encryption,
  secretOf: SecretOf,
): Promise<string | undefined | EncryptionProblem> {
  if (fingerprintRef === undefined) return undefined
  const values = await secretOf(fingerprintRef, async () => ({
    stringData: { [fingerprintEntry]: randomBytes(32).toString('base64url') },
  }))
  if (values === undefined) return secretNotFound(fingerprintRef)
  const text = values[fingerprintEntry]?.trim() ?? ''
  // With a guessable key, values of Secrets could be guessed from the fingerprints in Git.
  if (text.length >= 32) return text
  const message = `Secret ${fingerprintRef.name} has no key ${fingerprintEntry} with at least 32 characters`
  return problem('MissingSecret', message)
}

const fingerprintEntry = 'fingerprint.key'

function secretNotFound({ name }: { name: string }): EncryptionProblem {
  return problem(
    'SecretCreateDisabled',
    `Secret ${name} does not exist; create it, or set encryption.autoCreate to have it created`,
  )
}

function problem(reason: EncryptionProblem['reason'], message: string): EncryptionProblem {
  return {
    kind: 'problem',
    reason,
    message,
  }
}

async function readOrCreate(
  key: { namespace: string; name: string },
  make: MakeSecret | undefined,
  { reader, client }: EncryptionPorts,
  signal: AbortSignal,
): Promise<Values | undefined> {
  const known = await reader.secret(key, signal)
  if (known !== undefined || make === undefined) return known?.values
  const { stringData, recipient } = await make()
  const annotations = recipient && { 'gitops.proompteng.ai/age-recipient': recipient }
  try {
    const metadata = { ...key, ...(annotations && { annotations }) }
    await client.create(SecretKind, { metadata, stringData }, { signal })
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
  // The stored Secret is used: another process may have created it first.
  return (await reader.secret(key, signal))?.values
}

/** The identities in a Secret, under any key name. They are recognised by their prefix. */
async function identitiesIn(values: Values): Promise<string[]> {
  const texts = Object.keys(values)
    .sort()
    .map((name) => values[name] ?? '')
    .filter((text) => /^AGE-SECRET-KEY-/m.test(text))
  const found = await Promise.all(texts.map((text) => parseIdentities(text).catch(() => [])))
  return [...new Set(found.flat())]
}

async function testEncryption(recipients: readonly string[], identities: readonly string[]) {
  const plaintext = 'data:\n  probe: probe\n'
  const file = await encryptDocument({ plaintext, recipients, now: new Date(0) })
  if (identities.length > 0) await decryptDocument(file, identities)
}
