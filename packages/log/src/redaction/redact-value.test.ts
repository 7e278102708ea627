import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { redactValue } from './redact-value.ts'

const secret = 'hunter2-hunter2'

describe('secrets in data', () => {
  test.each([
    { because: 'a field named password', value: { password: secret } },
    { because: 'any case and separator', value: { 'X-API-Key': secret, CLIENT_SECRET: secret } },
    {
      because: 'everything below such a field',
      value: { credentials: { user: { deep: [secret] } } },
    },
    { because: 'a number', value: { pinPassword: secret, password: 4711 } },
    {
      because: 'an encoded or hashed secret',
      value: { tokenBase64: secret, passwordHash: secret },
    },
    {
      because: "a Secret's data",
      value: { kind: 'Secret', data: { k: secret }, stringData: { j: secret } },
    },
    {
      because: 'a list of Secrets',
      value: { kind: 'SecretList', items: [{ data: { k: secret } }] },
    },
    {
      because: "kubectl's copy of a Secret",
      value: { annotations: { last: JSON.stringify({ kind: 'Secret', data: { k: secret } }) } },
    },
    {
      because: 'an environment variable',
      value: { env: [{ name: 'GITHUB_TOKEN', value: secret }] },
    },
    { because: 'a header in a Map', value: new Map([['authorization', secret]]) },
    { because: 'Headers', value: new Headers({ cookie: secret }) },
    { because: 'raw headers', value: ['Host', 'x', 'Authorization', secret] },
    { because: 'arguments', value: ['login', '--password', secret] },
    { because: 'a URL object', value: new URL(`https://u:${secret}@git.test`) },
    { because: 'search parameters', value: new URLSearchParams({ access_token: secret }) },
    { because: 'bytes', value: { body: Buffer.from(secret) } },
    { because: 'the name of a field', value: { [`https://u:${secret}@h`]: 1 } },
    { because: 'an error message', value: new Error(`cannot clone https://u:${secret}@git.test`) },
    {
      because: 'the cause of a cause',
      value: new Error('a', { cause: new Error('b', { cause: { token: secret } }) }),
    },
    {
      because: 'errors of an aggregate',
      value: new AggregateError([new Error(`token=${secret}`)]),
    },
    { because: 'what toJSON returns', value: { toJSON: () => ({ password: secret }) } },
  ])('$because', ({ value }) => {
    const text = JSON.stringify(redactValue(value))
    expect(text).not.toContain(secret)
    expect(text).not.toContain('4711')
  })
})

describe('what is not masked', () => {
  test.each([
    { because: 'references', value: { secretRef: { name: 'a' }, secrets: ['codex-auth'] } },
    {
      because: 'whether a secret is set',
      value: { DATABASE_URL: 'set', token: null, auth: false },
    },
    { because: 'usage', value: { usage: { inputTokens: 12, outputTokens: 3 } } },
    { because: 'a list of key names', value: { keys: ['password', 'username'] } },
    { because: 'a field called __proto__', value: JSON.parse('{"__proto__": {"a": 1}}') },
  ])('$because', ({ value }) => {
    expect(JSON.stringify(redactValue(value))).toBe(JSON.stringify(value))
  })

  test('the keys of a Secret, so that a missing one is visible', () => {
    expect(
      redactValue({ kind: 'Secret', metadata: { name: 'a' }, data: { 'ca.crt': 'x' } }),
    ).toEqual({
      kind: 'Secret',
      metadata: { name: 'a' },
      data: { 'ca.crt': '***' },
    })
  })
})

describe('awkward values', () => {
  const circular: { self?: unknown } = {}
  circular.self = circular
  const revoked = Proxy.revocable({}, {})
  revoked.revoke()
  const throwing = {
    get bad(): string {
      throw new Error('no')
    },
    good: 1,
  }
  test.each([
    { because: 'a cycle', value: circular, redacted: { self: '[circular]' } },
    { because: 'a big integer', value: 2n ** 64n, redacted: '18446744073709551616' },
    {
      because: 'a getter that throws',
      value: throwing,
      redacted: { bad: '[unreadable]', good: 1 },
    },
    { because: 'a revoked proxy', value: revoked.proxy, redacted: '[unreadable]' },
    { because: 'NaN', value: [Number.NaN], redacted: ['NaN'] },
    { because: 'an invalid date', value: new Date(Number.NaN), redacted: 'Invalid Date' },
    {
      because: 'a symbol and a function',
      value: [Symbol('s'), () => 1],
      redacted: ['[symbol]', '[function]'],
    },
    { because: 'undefined in an object is absent', value: { a: undefined }, redacted: {} },
    { because: 'a set', value: new Set([1]), redacted: [1] },
  ])('$because', ({ value, redacted }) => {
    expect(redactValue(value)).toEqual(redacted)
  })

  test('the same object twice is not a cycle', () => {
    const shared = { a: 1 }
    expect(redactValue([shared, shared])).toEqual([shared, shared])
  })

  test('an error keeps its name, code, own fields and causes', () => {
    const cause = Object.assign(new TypeError('refused'), { code: 'ECONNREFUSED', port: 5432 })
    expect(redactValue(new Error('cannot archive', { cause }))).toMatchObject({
      name: 'Error',
      message: 'cannot archive',
      cause: { name: 'TypeError', message: 'refused', code: 'ECONNREFUSED', port: 5432 },
    })
  })

  test.each([
    { because: 'a long string', value: 'x '.repeat(1_000_000) },
    {
      because: 'a wide object',
      value: Object.fromEntries(Array.from({ length: 200_000 }, (_, i) => [`k${i}`, i])),
    },
    { because: 'a long list', value: new Array(1_000_000).fill({ a: 'b' }) },
    { because: 'a graph that doubles at each level', value: doubling(60) },
    { because: 'deep nesting', value: nested(100_000) },
  ])('$because is truncated', ({ value }) => {
    expect(JSON.stringify(redactValue(value)).length).toBeLessThan(1_000_000)
  })

  function doubling(levels: number): unknown {
    let value: unknown = 'leaf'
    for (let level = 0; level < levels; level += 1) value = { left: value, right: value }
    return value
  }

  function nested(levels: number): unknown {
    let value: unknown = 'leaf'
    for (let level = 0; level < levels; level += 1) value = [value]
    return value
  }
})

describe('a secret planted anywhere', () => {
  const hex = (length: number) =>
    fc.array(fc.constantFrom(...'0123456789abcdef'), { minLength: length, maxLength: length })
  const opaque = hex(24).map((digits) => `q${digits.join('')}`)
  const wrap = fc.constantFrom<(secret: string) => string>(
    (s) => `ghp_${s}`,
    (s) => `github_pat_${s}`,
    (s) => `glpat-${s}`,
    (s) => `xoxb-${s}`,
    (s) => `sk-ant-${s}`,
    (s) => `eyJ${s}.${s}.${s}`,
    (s) => `AGE-SECRET-KEY-1${s.toUpperCase()}`,
    (s) => `Bearer ${s}`,
    (s) => `https://user:${s}@git.test/`,
    (s) => `postgres://app:${s}@db.test/`,
    (s) => `\npassword=${s} `,
    (s) => ` "apiKey": "${s}" `,
    (s) => ['-----BEGIN', ` PRIVATE KEY-----\n${s}\n-----END`, ' PRIVATE KEY-----'].join(''),
  )
  const secretField = fc.constantFrom(
    'password',
    'accessToken',
    'AUTHORIZATION',
    'api_key',
    'private-key',
    'connectionString',
    'clientSecret',
  )
  const noise = fc.oneof(
    fc.string({ maxLength: 20 }),
    fc.constantFrom('a: ', 'x=', '{"a":"', '://', '\\'),
  )

  test('in a text is recognised by its form', () => {
    fc.assert(
      fc.property(noise, noise, wrap, opaque, nestings(), (before, after, form, planted, nest) => {
        const text = JSON.stringify(redactValue(nest(before + form(planted) + after)))
        expect(text.toLowerCase()).not.toContain(planted)
      }),
      { numRuns: 2_000 },
    )
  })

  test('in a field is recognised by the name', () => {
    fc.assert(
      fc.property(secretField, opaque, nestings(), nestings(), (field, planted, outer, inner) => {
        const text = JSON.stringify(redactValue(outer({ [field]: inner(planted) })))
        expect(text).not.toContain(planted)
      }),
      { numRuns: 1_000 },
    )
  })

  test('never makes redactValue throw, whatever the value', () => {
    fc.assert(
      fc.property(
        fc.anything({
          withBigInt: true,
          withMap: true,
          withSet: true,
          withDate: true,
          withNullPrototype: true,
          withSparseArray: true,
          withTypedArray: true,
        }),
        (value) => {
          expect(typeof JSON.stringify(redactValue(value))).toBe('string')
        },
      ),
    )
  })

  function nestings(): fc.Arbitrary<(held: unknown) => unknown> {
    const layer = fc.oneof(
      fc.string({ maxLength: 8 }).map((key) => (held: unknown) => ({ before: 1, [key]: held })),
      fc.constant((held: unknown) => ['x', held]),
      fc.constant((held: unknown) => new Map([['k', held]])),
      fc.constant((held: unknown) => new Error('outer', { cause: held })),
      // A generated key may be `toString`, so only a string becomes the message.
      fc.constant((held: unknown) =>
        Object.assign(new Error(typeof held === 'string' ? held : 'outer'), { held }),
      ),
    )
    return fc
      .array(layer, { maxLength: 5 })
      .map((layers) => (held) => layers.reduce((value, wrapIn) => wrapIn(value), held))
  }
})
