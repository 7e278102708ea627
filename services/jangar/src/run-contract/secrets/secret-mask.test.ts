import { describe, expect, test } from 'vitest'
import { createSecretMask, secretsIn } from './secret-mask.ts'
import { linesOfKey } from './testing/lines-of-key.ts'

describe('known secrets', () => {
  const secret = 'p"ss/w$rd.*+'

  test.each([
    { because: 'as they are', text: `is ${secret} here` },
    { because: 'in JSON', text: JSON.stringify({ a: secret }) },
    { because: 'in a URL', text: `https://u:${encodeURIComponent(secret)}@host` },
    { because: 'in base64', text: Buffer.from(secret).toString('base64') },
    { because: 'in base64 with a newline', text: Buffer.from(`${secret}\n`).toString('base64') },
    { because: 'in hexadecimal', text: Buffer.from(secret).toString('hex') },
    {
      because: 'in upper-case hexadecimal',
      text: Buffer.from(secret).toString('hex').toUpperCase(),
    },
  ])('are hidden $because', ({ text }) => {
    const masked = createSecretMask([secret])(text)
    expect(masked).toContain('***')
    expect(masked).not.toContain('w$rd')
  })

  test('of several lines are hidden line by line', () => {
    const key = '-----BEGIN KEY-----\nabcdefgh\nijklmnop\n-----END KEY-----\n'
    expect(createSecretMask([key])('x abcdefgh\nijklmnop y')).toBe('x ***\n*** y')
  })

  test.each(['', 'x', 'xy'])('are hidden inside of longer base64, after %j', (before) => {
    const text = Buffer.from(`${before}user:correct-horse-battery:more`).toString('base64')
    const masked = createSecretMask(['correct-horse-battery'])(text)
    const left = Buffer.from(masked.split('***').join(''), 'base64').toString('latin1')
    expect(masked).toContain('***')
    expect(left).not.toMatch(/orrect-horse-batter/)
  })

  test('are hidden in base64 that is broken into lines', () => {
    const key = 'k'.repeat(40) + 'e'.repeat(40) + 'y'.repeat(40)
    const lines =
      Buffer.from(`${key}\n`)
        .toString('base64')
        .match(/.{1,76}/g) ?? []
    expect(createSecretMask([key])(lines.join('\n'))).toBe(lines.map(() => '***').join('\n'))
  })

  test.each([
    { because: 'a member of a JSON document', secret: '{"tokens":{"access":"abcdefghij"}}' },
    { because: 'a line of a file of settings', secret: 'user: x\ntoken: "abcdefghij"\n' },
    { because: 'the password of a URL', secret: 'postgres://user:abcdefghij@db.test/x' },
  ])('are hidden where only a part is printed: $because', ({ secret: whole }) => {
    expect(createSecretMask([whole])('it is abcdefghij, is it?')).toBe('it is ***, is it?')
  })

  test('of fewer than 4 characters hide nothing', () => {
    const mask = createSecretMask(['', 'no', 'yes'])
    expect(mask('no yes text')).toBe('no yes text')
    expect(mask.longest).toBe(0)
  })

  test('of 4 characters are hidden', () => {
    expect(createSecretMask(['1234'])('pin 1234')).toBe('pin ***')
  })

  test('that overlap in the text leave nothing over', () => {
    expect(createSecretMask(['abcdef', 'efghij'])('x abcdefghij y')).toBe('x *** y')
  })

  test('that contain one another leave nothing over', () => {
    expect(createSecretMask(['secret', 'secret-long'])('a secret-long b')).toBe('a *** b')
  })
})

describe('secrets of bytes that are not text', () => {
  const bytes = Buffer.from([
    0xff, 0xfe, 0x00, 0x80, 0xc3, 0x28, 0x41, 0x42, 0x9f, 0x92, 0x96, 0xf0,
  ])

  test.each(['base64', 'base64url', 'hex', 'utf8'] as const)('are hidden as %s', (encoding) => {
    expect(createSecretMask([bytes])(`x ${bytes.toString(encoding)} y`)).toBe('x *** y')
  })

  test('are hidden in base64 with what stands around them', () => {
    const text = Buffer.concat([Buffer.from('u:'), bytes, Buffer.from(':more')]).toString('base64')
    const masked = createSecretMask([bytes])(text)
    expect(masked).toContain('***')
    expect(masked).not.toContain(text.slice(4, 12))
  })
})

describe('large secrets', () => {
  test('of 20 KB are hidden, and so is each of their lines', () => {
    const secret = linesOfKey(20_000)
    const mask = createSecretMask([secret])
    expect(mask.hidesAll).toBe(false)
    expect(mask(`a ${secret} b`)).toBe('a *** b')
    expect(mask(`a ${secret.split('\n')[7]} b`)).toBe('a *** b')
    expect(mask(Buffer.from(secret).toString('hex'))).toBe('***')
  })

  test.each([
    { because: 'too long', secrets: ['x'.repeat(1_000_000)] },
    { because: 'too many lines', secrets: ['abcde\n'.repeat(100_000)] },
    {
      because: 'too many',
      secrets: Array.from({ length: 50_000 }, (_, index) => `value-${index}`),
    },
    { because: 'too many different lines', secrets: [linesOfKey(100_000)] },
    { because: 'of endless white space', secrets: [`a:${' '.repeat(1_000_000)}\u2028`] },
  ])('hide all text if they are $because', ({ secrets }) => {
    const mask = createSecretMask(secrets)
    expect(mask.hidesAll).toBe(true)
    expect(mask('anything')).toBe('***')
    expect(mask('a line\n')).toBe('***\n')
  })

  test('hide all text if they cannot be processed, without an error', () => {
    const broken = {
      [Symbol.iterator]: () => {
        throw new Error('hunter2')
      },
    }
    expect(createSecretMask(broken as never).hidesAll).toBe(true)
  })

  test.each([
    `${'['.repeat(9000)}"hunter2hunter2"${']'.repeat(9000)}`,
    `a:${' '.repeat(9000)}\u2028end`,
    '\ud800'.repeat(5000),
  ])('of odd forms never throw', (secret) => {
    const mask = createSecretMask([secret])
    expect(mask(`x ${secret} y`).length).toBeLessThan(10)
  })
})

test('secrets are known by the names of variables, by the list, and in URLs', () => {
  const env = {
    GITHUB_TOKEN: 'token-value',
    MODEL_API_KEY: 'key-value',
    DB_PASSWORD: 'password-value',
    DATABASE_URL: 'postgres://user:p%40ssword@host/db',
    PLAIN: 'listed-value',
    VCS_SSH_KEY_PATH: '/keys/id',
    CODEX_SECRET_NAME: 'name',
    HOME: '/home',
    UNSET_TOKEN: undefined,
  }
  expect(secretsIn(env, ['PLAIN']).filter(Boolean)).toEqual([
    'token-value',
    'key-value',
    'password-value',
    'p%40ssword',
    'p@ssword',
    'listed-value',
  ])
})
