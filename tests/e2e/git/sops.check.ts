import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { env } from 'node:process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { generateAgeKey } from '../../../packages/git/src/sops/age-key.ts'
import { decryptDocument } from '../../../packages/git/src/sops/decrypt-document.ts'
import { encryptDocument } from '../../../packages/git/src/sops/encrypt-document.ts'
import { fingerprintKeyFrom } from '../../../packages/git/src/sops/fingerprint.ts'
import { sopsConfigFile } from '../../../packages/git/src/sops/sops-config-file.ts'
import { ensureGoTools, type GoTools } from '../../support/git/go-tools.ts'

const run = promisify(execFile)
const now = new Date('2026-01-02T03:04:05Z')

let tools: GoTools
let directory: string
let key: { identity: string; recipient: string }

beforeAll(async () => {
  tools = await ensureGoTools(env)
  directory = await mkdtemp(join(tmpdir(), 'agents-sops-'))
  key = await generateAgeKey()
})

afterAll(() => rm(directory, { recursive: true, force: true }))

async function sops(args: string[], text: string, identity = key.identity): Promise<string> {
  const file = join(directory, 'secret.yaml')
  await writeFile(file, text)
  const { stdout } = await run(tools.sops, [...args, file], {
    cwd: directory,
    env: { PATH: '', HOME: directory, SOPS_AGE_KEY: identity },
  })
  return stdout
}

/** Decrypts to JSON, because the YAML writer of sops loses text that begins with a tab. */
async function decrypt(file: string, identity?: string): Promise<unknown> {
  return JSON.parse(await sops(['--decrypt', '--output-type', 'json'], file, identity))
}

/** Values and names that some YAML parsers do not read as text. */
const tricky = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: 'tricky',
    annotations: {
      date: '2026-01-02',
      time: '2026-01-02T03:04:05Z',
      yes: 'yes',
      y: 'n',
      on: 'off',
      octal: '0777',
      hex: '0x10',
      underscore: '1_000',
      float: '1.10',
      exponent: '1e3',
      infinity: '.inf',
      null: 'null',
      tilde: '~',
      empty: '',
      base60: '12:30:45',
      merge: '<<',
      colon: 'a: b',
      hash: 'a #b',
      lines: 'one\ntwo\n\nfour  \n',
      tabs: '\tone\n\ttwo',
      blanks: '  around  ',
      unicode: 'žluťoučký 🐎 \u2028 \u0085',
      enc: 'ENC[AES256_GCM,data:x]',
      long: 'x'.repeat(500).replaceAll('xxxxx', 'word '),
      '2026-01-02': 'a date as a name',
      true: 'a boolean as a name',
      '123': 'a number as a name',
    },
    ownerReferences: [
      { controller: true, count: 3, ratio: 0.5, tiny: 1e-7, large: 1e21, none: null },
    ],
  },
  immutable: false,
  data: { password: 'aHVudGVyMg==', empty: '', '1.10': 'eA==', no: 'eQ==', nothing: null },
  stringData: {
    text: 'one\ntwo\n',
    date: '2026-01-02',
    list: ['a', 'b'],
    number: 12,
    truth: true,
    half: 0.5,
  },
  type: 'Opaque',
}

/** Without what sops itself cannot write, in JSON that a YAML parser reads identically. */
function trickyForSops(): { object: unknown; text: string } {
  const { tabs: _tabs, ...annotations } = tricky.metadata.annotations
  const object = { ...tricky, metadata: { ...tricky.metadata, annotations } }
  const escaped = JSON.stringify(object).replace(/[\u0085\u2028]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
  return { object, text: escaped }
}

describe('sops', () => {
  test('decrypts what we encrypted', async () => {
    const file = await encryptDocument({
      plaintext: stringify(tricky),
      recipients: [key.recipient],
      now,
    })
    expect(await decrypt(file)).toEqual(tricky)
  })

  test('decrypts files with our fingerprint line, and files that we partly encrypted again', async () => {
    const fingerprint = { key: fingerprintKeyFrom('key'), path: 'x' }
    const options = { recipients: [key.recipient], now, fingerprint }
    const previous = await encryptDocument({ ...options, plaintext: stringify(tricky) })
    const changed = { ...tricky, data: { ...tricky.data, password: 'b3RoZXI=' } }
    const identities = [key.identity]
    const file = await encryptDocument({
      ...options,
      plaintext: stringify(changed),
      previous,
      identities,
    })
    expect(await decrypt(file)).toEqual(changed)
  })

  test('decrypts a file for each of several recipients', async () => {
    const other = await generateAgeKey()
    const recipients = [key.recipient, other.recipient]
    const file = await encryptDocument({ plaintext: stringify(tricky), recipients, now })
    for (const { identity } of [key, other]) {
      expect(await decrypt(file, identity)).toEqual(tricky)
    }
  })

  test.each([
    { because: 'as we do', args: ['--encrypted-regex', '^(data|stringData)$'] },
    { because: 'everything', args: [] },
    { because: 'with a suffix', args: ['--unencrypted-suffix', 'metadata'] },
    {
      because: 'with a MAC over the encrypted values only',
      args: ['--encrypted-regex', '^data$', '--mac-only-encrypted'],
    },
  ])('we decrypt what sops encrypted $because', async ({ args }) => {
    const { object, text } = trickyForSops()
    const file = await sops(['--encrypt', '--age', key.recipient, ...args], text)
    expect(file).not.toContain('aHVudGVyMg==')
    expect(parse(await decryptDocument(file, [key.identity]))).toEqual(object)
  })

  test('a file that sops wrote is unchanged as long as the plaintext is', async () => {
    const args = ['--encrypt', '--age', key.recipient, '--encrypted-regex', '^(data|stringData)$']
    const previous = await sops(args, trickyForSops().text)
    const options = { recipients: [key.recipient], now, previous, identities: [key.identity] }
    expect(
      await encryptDocument({
        ...options,
        plaintext: await decryptDocument(previous, [key.identity]),
      }),
    ).toBe(previous)
  })

  test('follows the configuration file that we write', async () => {
    const other = await generateAgeKey()
    const recipients = [key.recipient, other.recipient]
    await writeFile(join(directory, '.sops.yaml'), sopsConfigFile({ recipients }))
    const file = await sops(['--encrypt'], trickyForSops().text)
    await rm(join(directory, '.sops.yaml'))
    const { sops: metadata } = parse(file)
    expect(metadata.encrypted_regex).toBe('^(data|stringData)$')
    for (const { identity } of [key, other]) {
      expect(parse(await decryptDocument(file, [identity]))).toEqual(trickyForSops().object)
    }
  })

  test('rotates the data key of our files', async () => {
    const { object } = trickyForSops()
    const text = await encryptDocument({
      plaintext: stringify(object),
      recipients: [key.recipient],
      now,
    })
    await sops(['rotate', '--in-place'], text)
    const rotated = await readFile(join(directory, 'secret.yaml'), 'utf8')
    expect(rotated).not.toBe(text)
    expect(parse(await decryptDocument(rotated, [key.identity]))).toEqual(object)
  })
})

describe('age', () => {
  test('we accept keys of age-keygen, and age reads the data key that we wrapped', async () => {
    const { stdout: keyFile } = await run(tools['age-keygen'])
    const recipient = /public key: (age1\w+)/.exec(keyFile)?.[1] ?? ''
    const file = await encryptDocument({
      plaintext: stringify(tricky),
      recipients: [recipient],
      now,
    })
    await writeFile(join(directory, 'key'), keyFile)
    await writeFile(join(directory, 'enc'), parse(file).sops.age[0].enc)
    const { stdout } = await run(
      tools.age,
      ['-d', '-i', join(directory, 'key'), join(directory, 'enc')],
      {
        encoding: 'buffer',
      },
    )
    expect(stdout).toHaveLength(32)
  })
})
