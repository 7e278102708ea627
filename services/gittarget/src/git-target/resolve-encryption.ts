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
import type { MirrorEncryption } from '../mirror/render-file.ts'

export type ResolvedEncryption =
  | { readonly kind: 'off' }
  | { readonly kind: 'on'; readonly encryption: MirrorEncryption; readonly recipientsHash: string }
  | EncryptionProblem

export interface EncryptionProblem {
  readonly kind: 'problem'
  readonly reason: 'MissingSecret' | 'InvalidRecipients' | 'SecretCreateDisabled'
  readonly message: string
}

export interface EncryptionPorts {
  readonly reader: ObjectReader
  readonly client: Pick<KubeClient, 'create'>
  /** For targets that name no key of their own, to recognise what did not change. */
  readonly fingerprintKey: Buffer
}

/** What a target's Secrets are encrypted with; tried out, where there is an identity to try it with. */
export const resolveEncryption = async (
  target: GitTarget,
  ports: EncryptionPorts,
  signal: AbortSignal,
): Promise<ResolvedEncryption> => {
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
    const recipients = parseRecipients([...(encryption.recipients ?? []), ...own])
    await tryOut(recipients, identities)
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
/** What a new Secret holds, and for whom it can decrypt. */
type MakeSecret = () => Promise<{ stringData: Record<string, string>; recipient?: string }>
type SecretOf = (ref: { name: string }, make: MakeSecret) => Promise<Values | undefined>

const identitiesOf = async (
  { secretRef }: Encryption,
  secretOf: SecretOf,
): Promise<string[] | EncryptionProblem> => {
  if (secretRef === undefined) return []
  const values = await secretOf(secretRef, async () => {
    const { identity, recipient } = await generateAgeKey()
    return { stringData: { 'identity.agekey': `${identity}\n` }, recipient }
  })
  if (values === undefined) return notThere(secretRef)
  const identities = identitiesIn(values)
  if (identities.length > 0) return identities
  const message = `the Secret ${secretRef.name} holds no age identity (AGE-SECRET-KEY-…)`
  return problem('MissingSecret', message)
}

const fingerprintTextOf = async (
  { fingerprintRef }: Encryption,
  secretOf: SecretOf,
): Promise<string | undefined | EncryptionProblem> => {
  if (fingerprintRef === undefined) return undefined
  const values = await secretOf(fingerprintRef, async () => ({
    stringData: { [FINGERPRINT_KEY]: randomBytes(32).toString('base64url') },
  }))
  if (values === undefined) return notThere(fingerprintRef)
  const text = values[FINGERPRINT_KEY]?.trim() ?? ''
  // Who guesses it can try out the values of Secrets on what Git holds.
  if (text.length >= 32) return text
  const message = `the Secret ${fingerprintRef.name} holds no ${FINGERPRINT_KEY} of 32 letters or more`
  return problem('MissingSecret', message)
}

const FINGERPRINT_KEY = 'fingerprint.key'

const notThere = ({ name }: { name: string }): EncryptionProblem =>
  problem(
    'SecretCreateDisabled',
    `the Secret ${name} does not exist; create it, or let encryption.autoCreate make it`,
  )

const problem = (reason: EncryptionProblem['reason'], message: string): EncryptionProblem => ({
  kind: 'problem',
  reason,
  message,
})

const readOrCreate = async (
  key: { namespace: string; name: string },
  make: MakeSecret | undefined,
  { reader, client }: EncryptionPorts,
  signal: AbortSignal,
): Promise<Values | undefined> => {
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
  // What is stored counts: somebody else may have been faster.
  return (await reader.secret(key, signal))?.values
}

/** Whatever the keys are called, an identity is known by its first letters. */
const identitiesIn = (values: Values): string[] => {
  const identities = Object.keys(values)
    .sort()
    .flatMap((name) => {
      const text = values[name] ?? ''
      if (!/^AGE-SECRET-KEY-/m.test(text)) return []
      try {
        return parseIdentities(text)
      } catch {
        return []
      }
    })
  return [...new Set(identities)]
}

const tryOut = async (recipients: readonly string[], identities: readonly string[]) => {
  const plaintext = 'data:\n  probe: probe\n'
  const file = await encryptDocument({ plaintext, recipients, now: new Date(0) })
  if (identities.length > 0) await decryptDocument(file, identities)
}
