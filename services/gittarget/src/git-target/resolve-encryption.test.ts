import { generateAgeKey } from '@agents/git'
import type { GitTarget } from '@agents/gittarget-api'
import type { Secret } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import type { Values } from '../kubernetes/object-reader.ts'
import { resolveEncryption } from './resolve-encryption.ts'

const one = await generateAgeKey()
const other = await generateAgeKey()
const signal = new AbortController().signal

/** A cluster with one Secret, or none. */
function cluster(values?: Values) {
  let stored = values
  const created: Secret[] = []
  return {
    created,
    ports: {
      fingerprintKey: Buffer.alloc(32, 1),
      reader: {
        secret: async () => stored && { values: stored, version: '1' },
        configMap: async () => undefined,
      },
      client: {
        create: async (_kind: unknown, secret: Secret) => {
          created.push(secret)
          stored ??= secret.stringData ?? {}
          return secret
        },
      } as never,
    },
  }
}

function target(encryption: object | undefined): GitTarget {
  return {
    metadata: { name: 't', namespace: 'team' },
    spec: { encryption },
  } as unknown as GitTarget
}

const wanted = { provider: 'sops', secretRef: { name: 'age' }, autoCreate: false }

const unnamed = {
  provider: 'sops',
  recipients: [one.recipient],
  fingerprintRef: { name: 'fingerprint' },
  autoCreate: false,
}

describe('resolveEncryption', () => {
  test.each<[object | undefined, Values | undefined, string, string]>([
    [undefined, undefined, 'off', 'it is not requested'],
    [wanted, undefined, 'SecretCreateDisabled', 'the Secret is missing and may not be created'],
    [wanted, { other: 'x' }, 'MissingSecret', 'it contains no key'],
    [wanted, { key: 'AGE-SECRET-KEY-1BROKEN' }, 'MissingSecret', 'the key cannot be read'],
    [
      { ...wanted, recipients: ['age1broken'] },
      { 'a.agekey': one.identity },
      'InvalidRecipients',
      'one of them is not a public key',
    ],
    [
      wanted,
      { 'any-name': `# made today\n${one.identity}\n` },
      'on',
      'a key is recognised by its prefix',
    ],
    [
      { provider: 'sops', recipients: [one.recipient], autoCreate: false },
      undefined,
      'on',
      'public keys are enough to encrypt',
    ],
    [
      unnamed,
      undefined,
      'SecretCreateDisabled',
      'the fingerprint Secret may not be created either',
    ],
    [unnamed, { other: 'x' }, 'MissingSecret', 'it contains no fingerprint key'],
    [unnamed, { 'fingerprint.key': 'short' }, 'MissingSecret', 'the key could be guessed'],
    [unnamed, { 'fingerprint.key': 'x'.repeat(32) }, 'on', 'it is long enough'],
  ])('%j with a Secret of %j is %s, because %s', async (encryption, values, expected) => {
    const resolved = await resolveEncryption(target(encryption), cluster(values).ports, signal)
    expect(resolved.kind === 'problem' ? resolved.reason : resolved.kind).toBe(expected)
  })

  test('creates the Secret once, if autoCreate is set', async () => {
    const { ports, created } = cluster()
    const asked = target({ ...wanted, autoCreate: true })
    const first = await resolveEncryption(asked, ports, signal)
    expect(await resolveEncryption(asked, ports, signal)).toEqual(first)
    expect(created).toHaveLength(1)
    expect(created[0]?.metadata).toMatchObject({ name: 'age', namespace: 'team' })
  })

  test('creates the fingerprint key once, which is unique to the cluster and decrypts nothing', async () => {
    const keyOf = async (ports: ReturnType<typeof cluster>['ports']): Promise<string> => {
      const resolved = await resolveEncryption(
        target({ ...unnamed, autoCreate: true }),
        ports,
        signal,
      )
      if (resolved.kind !== 'on') throw new Error(resolved.kind)
      expect(resolved.encryption).toMatchObject({ recipients: [one.recipient], identities: [] })
      return resolved.encryption.fingerprintKey.toString('hex')
    }
    const [here, there] = [cluster(), cluster()]
    const key = await keyOf(here.ports)
    expect(await keyOf(here.ports)).toBe(key)
    expect(await keyOf(there.ports)).not.toBe(key)
    expect(here.created).toHaveLength(1)
    expect(here.created[0]?.metadata).toEqual({ name: 'fingerprint', namespace: 'team' })
    expect(key).not.toBe(here.ports.fingerprintKey.toString('hex'))
  })

  test('encrypts for the identity and for all recipients, in any order', async () => {
    const values = { key: one.identity }
    const named = (recipients: readonly string[]) =>
      resolveEncryption(target({ ...wanted, recipients }), cluster(values).ports, signal)
    const resolved = await named([other.recipient])
    expect(resolved).toMatchObject({
      encryption: { recipients: [one.recipient, other.recipient].sort() },
    })
    expect(await named([other.recipient, one.recipient])).toEqual(resolved)
  })
})
