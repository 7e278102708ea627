import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { generateAgeKey, parseIdentities, parseRecipients, recipientOf } from './age-key.ts'
import { decryptDocument } from './decrypt-document.ts'
import { encryptDocument } from './encrypt-document.ts'
import { fingerprintKeyFrom } from './fingerprint.ts'
import { SopsError } from './sops-error.ts'

const now = new Date('2026-01-02T03:04:05.678Z')

const secret = `apiVersion: v1
kind: Secret
metadata:
  name: db
  labels:
    version: "1.10"
immutable: true
data:
  password: aHVudGVyMg==
  user: cm9vdA==
  nothing: ""
`

let ours: { identity: string; recipient: string }
let theirs: { identity: string; recipient: string }

beforeAll(async () => {
  ours = await generateAgeKey()
  theirs = await generateAgeKey()
})

function encrypt(plaintext: string, options: Partial<Parameters<typeof encryptDocument>[0]> = {}) {
  return encryptDocument({ plaintext, recipients: [ours.recipient], now, ...options })
}

describe('encrypting', () => {
  test('hides the values of data, shows the rest, and comes back', async () => {
    const file = await encrypt(secret)
    expect(file).not.toContain('aHVudGVyMg==')
    const shown = parse(file)
    expect(shown.metadata).toEqual({ name: 'db', labels: { version: '1.10' } })
    expect(shown.data.password).toMatch(/^ENC\[AES256_GCM,data:.+,iv:.+,tag:.+,type:str\]$/)
    expect(shown.data.nothing).toBe('')
    expect(shown.sops).toMatchObject({
      lastmodified: '2026-01-02T03:04:05Z',
      encrypted_regex: '^(data|stringData)$',
    })
    expect(parse(await decryptDocument(file, [ours.identity]))).toEqual(parse(secret))
  })

  test('can be decrypted by every recipient and by no one else', async () => {
    const file = await encrypt(secret, { recipients: [ours.recipient, theirs.recipient] })
    for (const { identity } of [ours, theirs]) {
      expect(parse(await decryptDocument(file, [identity]))).toEqual(parse(secret))
    }
    const otherKey = await generateAgeKey()
    await expect(decryptDocument(file, [otherKey.identity])).rejects.toMatchObject({
      code: 'no-identity',
    })
  })

  test('drops comments beside encrypted values: they may quote them', async () => {
    const file = await encrypt(
      'kind: Secret # shown\n# above\ndata:\n  # it is hunter2\n  a: eA== # hunter2\n',
    )
    expect(file).toContain('# shown')
    expect(file).not.toContain('hunter2')
  })

  test('whatever the values are, they come back the same', async () => {
    const values = fc.dictionary(
      fc.string({ minLength: 1, unit: 'grapheme' }).filter((key) => key !== '__proto__'),
      fc.oneof(
        fc.string({ unit: 'grapheme' }),
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(fc.string()),
      ),
    )
    await fc.assert(
      fc.asyncProperty(values, values, async (data, labels) => {
        const plaintext = JSON.stringify({ kind: 'Secret', metadata: { labels }, data })
        const back = parse(await decryptDocument(await encrypt(plaintext), [ours.identity]))
        expect(back).toEqual(JSON.parse(plaintext))
      }),
      { numRuns: 25 },
    )
  })

  test.each([
    { because: 'a list', text: '- a' },
    { because: 'two documents', text: 'a: 1\n---\nb: 2' },
    { because: 'no YAML', text: 'a: [hunter2' },
    { because: 'encrypted already', text: 'sops: {}' },
    { because: 'an alias', text: 'a: &x 1\nb: *x' },
    { because: 'an integer that SOPS cannot hold', text: 'a: 99999999999999999999' },
  ])('is refused without quoting the text: $because', async ({ text }) => {
    const error: unknown = await encrypt(text).catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(SopsError)
    expect(String(error)).not.toContain('hunter2')
  })
})

describe('encrypting again', () => {
  test('unchanged, with the identity: the same file', async () => {
    const previous = await encrypt(secret)
    expect(await encrypt(secret, { previous, identities: [ours.identity], now: new Date() })).toBe(
      previous,
    )
  })

  test('unchanged, with the fingerprint and no identity: the same file', async () => {
    const fingerprint = { key: fingerprintKeyFrom('key'), path: 'a/db.yaml' }
    const previous = await encrypt(secret, { fingerprint })
    expect(await encrypt(secret, { previous, fingerprint, now: new Date() })).toBe(previous)
  })

  test('changed, with the identity: only the changed value has another ciphertext', async () => {
    const previous = await encrypt(secret)
    const file = await encrypt(secret.replace('cm9vdA==', 'YWRtaW4='), {
      previous,
      identities: [ours.identity],
    })
    expect(parse(file).data.password).toBe(parse(previous).data.password)
    expect(parse(file).data.user).not.toBe(parse(previous).data.user)
    expect(parse(await decryptDocument(file, [ours.identity])).data.user).toBe('YWRtaW4=')
  })

  test.each([
    {
      because: 'the plaintext',
      other: { plaintext: secret.replace('root', 'x').replace('name: db', 'name: dc') },
    },
    {
      because: 'the place',
      other: { fingerprint: { key: fingerprintKeyFrom('key'), path: 'b/db.yaml' } },
    },
    {
      because: 'the key of the fingerprint',
      other: { fingerprint: { key: fingerprintKeyFrom('x'), path: 'a/db.yaml' } },
    },
    { because: 'the expression', other: { encryptedRegex: '^(data|metadata)$' } },
  ])('writes again when another is $because', async ({ other }) => {
    const fingerprint = { key: fingerprintKeyFrom('key'), path: 'a/db.yaml' }
    const previous = await encrypt(secret, { fingerprint })
    expect(
      await encryptDocument({
        plaintext: secret,
        recipients: [ours.recipient],
        now,
        fingerprint,
        ...other,
        previous,
      }),
    ).not.toBe(previous)
  })

  test('for other recipients: a new data key, so that who left cannot read on', async () => {
    const previous = await encrypt(secret, { recipients: [ours.recipient, theirs.recipient] })
    const file = await encrypt(secret, { previous, identities: [ours.identity] })
    expect(parse(file).data.password).not.toBe(parse(previous).data.password)
    await expect(decryptDocument(file, [theirs.identity])).rejects.toMatchObject({
      code: 'no-identity',
    })
  })

  test('a file whose ciphertext was exchanged is not vouched for by its fingerprint', async () => {
    const fingerprint = { key: fingerprintKeyFrom('key'), path: 'a/db.yaml' }
    const first = await encrypt(secret, { fingerprint })
    const second = await encrypt(secret)
    const forged = `${first.split('\n')[0]}\n${second}`
    expect(await encrypt(secret, { previous: forged, fingerprint })).not.toBe(forged)
  })
})

describe('tampering', () => {
  test.each([
    {
      because: 'a value that is shown',
      change: (file: string) => file.replace('name: db', 'name: dc'),
    },
    {
      because: 'a value that is hidden',
      change: (file: string) => file.replace(/data:(..)/, 'data:AA'),
    },
    {
      because: 'two values that were exchanged',
      change: (file: string) => {
        const { password, user } = parse(file).data
        return file.replace(password, 'x').replace(user, password).replace('x\n', `${user}\n`)
      },
    },
    { because: 'the time', change: (file: string) => file.replace('2026-01-02', '2026-01-03') },
  ])('is noticed: $because', async ({ change }) => {
    const file = await encrypt(secret)
    const changed = change(file)
    expect(changed).not.toBe(file)
    await expect(decryptDocument(changed, [ours.identity])).rejects.toMatchObject({
      code: 'tampered',
    })
  })
})

describe('keys', () => {
  test('an identity knows its recipient, and a key file may have comments', async () => {
    const text = `# created: today\n# public key: ${ours.recipient}\n${ours.identity}\n`
    const [identity = ''] = await parseIdentities(text)
    expect(await recipientOf(identity)).toBe(ours.recipient)
  })

  test('recipients are the same in any order', async () => {
    const both = [theirs.recipient, ours.recipient, ` ${ours.recipient}`]
    expect(await parseRecipients(both)).toEqual(await parseRecipients([...both].reverse()))
    expect(await parseRecipients(both)).toHaveLength(2)
  })

  test('an invalid key is refused, and an identity is not quoted', async () => {
    await expect(parseRecipients([])).rejects.toThrow(SopsError)
    await expect(parseRecipients(['age1nonsense'])).rejects.toThrow(SopsError)
    await expect(parseIdentities('AGE-SECRET-KEY-1HUNTER2')).rejects.toThrow(/^(?!.*HUNTER2)/)
    await expect(parseIdentities('# none\n')).rejects.toThrow(SopsError)
  })
})

test.each([
  { because: 'takes exponential time', expression: '^(a+)+$' },
  { because: 'takes quadratic time', expression: 'a*b' },
  { because: 'is not valid', expression: '(' },
])('a file whose expression $because is refused, although its key fits', async ({ expression }) => {
  const file = await encrypt(`kind: Secret\nmetadata: {}\ndata:\n  ${'a'.repeat(26)}.: eA==\n`)
  const changed = file.replace(
    /encrypted_regex: .*/,
    `encrypted_regex: ${JSON.stringify(expression)}`,
  )
  await expect(decryptDocument(changed, [ours.identity])).rejects.toMatchObject({
    code: 'invalid',
    message:
      'encrypted_regex of the SOPS metadata must be names joined with |, such as ^(data|stringData)$',
  })
})
