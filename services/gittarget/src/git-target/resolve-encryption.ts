import { createHash } from 'node:crypto'
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
  | {
      readonly kind: 'problem'
      readonly reason: 'MissingSecret' | 'InvalidRecipients' | 'SecretCreateDisabled'
      readonly message: string
    }

export interface EncryptionPorts {
  readonly reader: ObjectReader
  readonly client: Pick<KubeClient, 'create'>
  /** For targets without an identity, to recognise what did not change. */
  readonly fingerprintKey: Buffer
}

/** What a target's Secrets are encrypted with; tried out, where there is an identity to try it with. */
export const resolveEncryption = async (
  { metadata, spec }: GitTarget,
  ports: EncryptionPorts,
  signal: AbortSignal,
): Promise<ResolvedEncryption> => {
  const { encryption } = spec
  if (encryption === undefined) return { kind: 'off' }
  const { secretRef, recipients: others = [], autoCreate } = encryption
  let identities: string[] = []
  if (secretRef !== undefined) {
    const key = { namespace: metadata.namespace ?? '', name: secretRef.name }
    const found = await readOrCreate(key, autoCreate, ports, signal)
    if (found === undefined) {
      const message = `the Secret ${key.name} does not exist, and autoCreate is off`
      return { kind: 'problem', reason: 'SecretCreateDisabled', message }
    }
    identities = identitiesIn(found)
    if (identities.length === 0) {
      const message = `the Secret ${key.name} holds no age identity (AGE-SECRET-KEY-…)`
      return { kind: 'problem', reason: 'MissingSecret', message }
    }
  }
  try {
    const own = await Promise.all(identities.map(recipientOf))
    const recipients = parseRecipients([...others, ...own])
    await tryOut(recipients, identities)
    const fingerprintKey =
      identities[0] === undefined ? ports.fingerprintKey : fingerprintKeyFrom(identities[0])
    return {
      kind: 'on',
      encryption: { recipients, identities, fingerprintKey },
      recipientsHash: createHash('sha256').update(recipients.join()).digest('hex').slice(0, 16),
    }
  } catch (error) {
    if (!(error instanceof SopsError)) throw error
    return { kind: 'problem', reason: 'InvalidRecipients', message: error.message }
  }
}

const readOrCreate = async (
  key: { namespace: string; name: string },
  autoCreate: boolean,
  { reader, client }: EncryptionPorts,
  signal: AbortSignal,
): Promise<Values | undefined> => {
  const known = await reader.secret(key, signal)
  if (known !== undefined) return known.values
  if (!autoCreate) return undefined
  const { identity, recipient } = await generateAgeKey()
  try {
    await client.create(
      SecretKind,
      {
        metadata: { ...key, annotations: { 'gitops.proompteng.ai/age-recipient': recipient } },
        stringData: { 'identity.agekey': `${identity}\n` },
      },
      { signal },
    )
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
