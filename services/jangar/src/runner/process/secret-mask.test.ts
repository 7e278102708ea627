import { describe, expect, test } from 'vitest'
import { createSecretMask, secretsIn } from './secret-mask.ts'

describe('known secrets', () => {
  const secret = 'p"ss/w$rd.*+'

  test.each([
    { because: 'as they are', text: `is ${secret} here` },
    { because: 'in JSON', text: JSON.stringify({ a: secret }) },
    { because: 'in a URL', text: `https://u:${encodeURIComponent(secret)}@host` },
    { because: 'in base64', text: Buffer.from(secret).toString('base64') },
  ])('are hidden $because', ({ text }) => {
    const masked = createSecretMask([secret])(text)
    expect(masked).toContain('***')
    expect(masked).not.toContain('w$rd')
  })

  test('of several lines are hidden line by line', () => {
    const key = '-----BEGIN KEY-----\nabcdefgh\nijklmnop\n-----END KEY-----\n'
    expect(createSecretMask([key])('x abcdefgh\nijklmnop y')).toBe('x ***\n*** y')
  })

  test('that are mere words hide nothing', () => {
    const mask = createSecretMask(['', 'no', 'true'])
    expect(mask('no true text')).toBe('no true text')
    expect(mask.longest).toBe(0)
  })

  test('that contain one another leave nothing over', () => {
    expect(createSecretMask(['secret', 'secret-long'])('a secret-long b')).toBe('a *** b')
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
