import { describe, expect, expectTypeOf, test } from 'vitest'
import { ConfigError } from './config-error.ts'
import { duration } from './duration.ts'
import { parseConfig } from './parse-config.ts'
import { flag, number, oneOf, port, retired, text, url } from './scalars.ts'
import type { ConfigOf, Declaration, Environment } from './setting.ts'
import { anyObject, json, list, mapOf, wholeNumber } from './structured.ts'

const doc = 'What it is for.'

function problemsOf(declaration: Declaration, env: Environment) {
  try {
    parseConfig(declaration, env)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

describe('values', () => {
  const limit = number('V', { doc, integer: true, min: 0, max: 100 })
  const ratio = number('V', { doc })
  const on = flag('V', { doc })
  const wait = duration('V', { doc, minMs: 1 })
  const seconds = duration('V', { doc, bareUnit: 's' })
  const mode = oneOf('V', ['auto', 'skip'], { doc, aliases: { off: 'skip', 0: 'skip' } })
  const names = list('V', { doc, checkEach: (name) => (name === 'bad' ? 'no' : undefined) })
  const limits = json('V', mapOf(wholeNumber), { doc })
  const web = url('V', { doc, schemes: ['http', 'https'] })
  const listen = port('V', { doc })

  test.each([
    { because: 'a whole number', setting: limit, raw: '42', value: 42 },
    { because: 'zero', setting: limit, raw: '0', value: 0 },
    { because: 'a number in white space', setting: limit, raw: ' 7\n', value: 7 },
    { because: 'a fraction', setting: ratio, raw: '-0.25', value: -0.25 },
    { because: 'a flag as a word', setting: on, raw: 'Yes', value: true },
    { because: 'a flag as a digit', setting: on, raw: '0', value: false },
    { because: 'minutes', setting: wait, raw: '5m', value: 300_000 },
    { because: 'a sum of units', setting: wait, raw: '1h30m', value: 5_400_000 },
    { because: 'milliseconds', setting: wait, raw: '250ms', value: 250 },
    {
      because: 'a number without a unit, if the setting has a default unit',
      setting: seconds,
      raw: '60',
      value: 60_000,
    },
    {
      because: 'a unit that differs from the default',
      setting: seconds,
      raw: '2m',
      value: 120_000,
    },
    { because: 'a choice in any case', setting: mode, raw: 'SKIP', value: 'skip' },
    { because: 'an alias', setting: mode, raw: 'off', value: 'skip' },
    { because: 'a list with commas', setting: names, raw: 'a, b', value: ['a', 'b'] },
    { because: 'a list in JSON', setting: names, raw: '["a,b"]', value: ['a,b'] },
    { because: 'the empty list', setting: names, raw: '[]', value: [] },
    { because: 'a map', setting: limits, raw: '{"o/r":2}', value: { 'o/r': 2 } },
    {
      because: 'a URL, as written',
      setting: web,
      raw: 'https://git.test',
      value: 'https://git.test',
    },
    { because: 'a port', setting: listen, raw: '65535', value: 65_535 },
  ])('accepts $because', ({ setting, raw, value }) => {
    expect(parseConfig({ it: setting }, { V: raw })).toEqual({ it: value })
  })

  test.each([
    {
      because: 'a spelled-out number',
      setting: limit,
      raw: 'ten',
      expectedMessage: 'a whole number from 0 to 100',
    },
    {
      because: 'trailing characters',
      setting: limit,
      raw: '10x',
      expectedMessage: 'a whole number',
    },
    {
      because: 'a fraction for a whole number',
      setting: limit,
      raw: '1.5',
      expectedMessage: 'a whole number',
    },
    { because: 'hexadecimal', setting: limit, raw: '0x10', expectedMessage: 'a whole number' },
    {
      because: "Helm's scientific notation",
      setting: limit,
      raw: '2.592e+06',
      expectedMessage: 'without an exponent',
    },
    { because: 'below the range', setting: limit, raw: '-1', expectedMessage: 'from 0' },
    { because: 'above the range', setting: limit, raw: '101', expectedMessage: 'to 100' },
    { because: 'infinity', setting: ratio, raw: 'Infinity', expectedMessage: 'a number' },
    {
      because: 'a whole number beyond what is exact',
      setting: number('V', { doc, integer: true }),
      raw: '9007199254740993',
      expectedMessage: 'too large',
    },
    { because: 'an invalid flag', setting: on, raw: 'enabled', expectedMessage: 'true or false' },
    {
      because: 'a duration without a unit',
      setting: wait,
      raw: '30',
      expectedMessage: 'for example 30s',
    },
    { because: 'units out of order', setting: wait, raw: '5s1m', expectedMessage: 'a duration' },
    {
      because: 'a duration below the range',
      setting: wait,
      raw: '0s',
      expectedMessage: '1ms or more',
    },
    {
      because: 'a negative duration',
      setting: seconds,
      raw: '-1',
      expectedMessage: 'a number of seconds',
    },
    {
      because: 'an unknown choice',
      setting: mode,
      raw: 'later',
      expectedMessage: 'auto or skip (also 0, off)',
    },
    { because: 'an empty entry', setting: names, raw: 'a,,b', expectedMessage: 'entry 2 is empty' },
    {
      because: 'an invalid entry',
      setting: names,
      raw: 'a,bad',
      expectedMessage: 'entry 2, "bad": no',
    },
    { because: 'broken JSON', setting: limits, raw: '{', expectedMessage: 'not valid JSON' },
    {
      because: 'JSON of another shape',
      setting: limits,
      raw: '{"a":"1"}',
      expectedMessage: '"a": expected a whole number',
    },
    {
      because: 'a list instead of an object',
      setting: limits,
      raw: '[]',
      expectedMessage: 'an object',
    },
    {
      because: 'a URL of another scheme',
      setting: web,
      raw: 'ftp://git.test',
      expectedMessage: 'http:// or https://',
    },
    { because: 'a URL without a scheme', setting: web, raw: 'git.test', expectedMessage: 'a URL' },
    { because: 'port 0', setting: listen, raw: '0', expectedMessage: 'from 1 to 65535' },
    {
      because: "Kubernetes' service link",
      setting: listen,
      raw: 'tcp://127.0.0.1:80',
      expectedMessage: 'enableServiceLinks',
    },
    {
      because: 'a retired variable',
      setting: retired('V', { doc, fix: 'Use W.' }),
      raw: '1',
      expectedMessage: 'no value',
    },
  ])('rejects $because', ({ setting, raw, expectedMessage }) => {
    const problems = problemsOf({ it: setting }, { V: raw })
    expect(problems).toHaveLength(1)
    expect(problems[0]?.value).toBe(JSON.stringify(raw))
    expect(problems[0]?.expected).toContain(expectedMessage)
  })
})

describe('presence', () => {
  const declaration = {
    required: text('REQUIRED', { doc }),
    optional: text('OPTIONAL', { doc, optional: true }),
    defaulted: number('DEFAULTED', { doc, fallback: 3 }),
    off: flag('OFF', { doc, fallback: false }),
  }

  test.each([
    { because: 'not set', env: { REQUIRED: 'x' } },
    {
      because: 'empty counts as not set',
      env: { REQUIRED: 'x', OPTIONAL: '', DEFAULTED: '', OFF: ' ' },
    },
  ])('$because', ({ env }) => {
    expect(parseConfig(declaration, env)).toEqual({
      required: 'x',
      optional: undefined,
      defaulted: 3,
      off: false,
    })
  })

  test.each([{}, { REQUIRED: '' }, { REQUIRED: '  ' }])(
    'a required variable that is missing: %j',
    (env) => {
      const [problem] = problemsOf(declaration, env)
      expect(problem).toEqual({ env: 'REQUIRED', expected: 'text', fix: 'Set it.' })
    },
  )

  test('a setting cannot be optional and have a fallback', () => {
    expect(() => text('X', { doc, optional: true, fallback: 'a' })).toThrow('cannot be optional')
  })
})

describe('problems', () => {
  const declaration = {
    database: text('DATABASE_URL', {
      doc,
      secret: true,
      chart: 'database.secretRef',
      check: (value) => (value.startsWith('postgres://') ? undefined : `${value} is not a URL`),
    }),
    limits: { rate: number('RATE', { doc, integer: true, fallback: 1 }) },
    listen: port('PORT', { doc, chart: 'service.port' }),
  }

  test('are reported together, with the exit code of a configuration error', () => {
    const parse = () => parseConfig(declaration, { DATABASE_URL: 'hunter2', RATE: 'x' })
    expect(parse).toThrow(
      new ConfigError([
        {
          env: 'DATABASE_URL',
          value: 'set to an invalid value (not shown because it is a secret)',
          expected: 'text',
          fix: 'Correct it (in the chart: database.secretRef).',
        },
        {
          env: 'RATE',
          value: '"x"',
          expected: 'a whole number',
          fix: 'Correct it, or remove it to use the default.',
        },
        {
          env: 'PORT',
          expected: 'a port from 1 to 65535',
          fix: 'Set it (in the chart: service.port).',
        },
      ]),
    )
    const error = new ConfigError(problemsOf(declaration, { DATABASE_URL: 'hunter2', RATE: 'x' }))
    expect(error.exitCode).toBe(78)
    expect(error.message).toBe(
      [
        'The configuration has 3 problems:',
        '  DATABASE_URL is set to an invalid value (not shown because it is a secret); expected text.',
        '    Correct it (in the chart: database.secretRef).',
        '  RATE is "x"; expected a whole number.',
        '    Correct it, or remove it to use the default.',
        '  PORT is not set; expected a port from 1 to 65535.',
        '    Set it (in the chart: service.port).',
      ].join('\n'),
    )
  })

  test('do not contain a secret, even if its check quotes it', () => {
    const problems = problemsOf(declaration, { DATABASE_URL: 'hunter2', PORT: '1' })
    expect(problems).toHaveLength(1)
    expect(JSON.stringify(problems)).not.toContain('hunter2')
  })

  test.each([
    { because: 'a plain password', value: 'https://user:hunter2@git.test' },
    {
      because: 'a password with a slash and an at sign',
      value: 'https://user:hunter/2@2@git.test',
    },
    { because: 'several URLs', value: 'https://a:b@c.test, https://user:hunter2@git.test' },
  ])('do not show the credentials of a URL in another setting: $because', ({ value }) => {
    const env = { DATABASE_URL: 'postgres://db.test', PORT: value }
    const problems = problemsOf(declaration, env)
    expect(problems.map((problem) => problem.value)).toEqual(['"https://***@git.test"'])
  })

  test('truncate a long value', () => {
    const [problem] = problemsOf(declaration, {
      DATABASE_URL: 'postgres://db.test',
      PORT: 'x'.repeat(10_000),
    })
    expect(problem?.value?.length).toBeLessThan(120)
  })
})

describe('rules over several settings', () => {
  const declaration = {
    lease: duration('LEASE', { doc, fallback: 15_000 }),
    renew: duration('RENEW', { doc, fallback: 10_000 }),
  }
  const rule = {
    about: ['RENEW', 'LEASE'] as const,
    expected: 'less than LEASE',
    fix: 'Lower it.',
    holds: ({ lease, renew }: ConfigOf<typeof declaration>) => renew < lease,
  }

  test.each([
    { because: 'it holds', env: {}, broken: [] },
    { because: 'it is broken', env: { LEASE: '5s' }, broken: ['RENEW'] },
    {
      because: 'it is not evaluated if one of its values is invalid',
      env: { LEASE: 'x' },
      broken: ['LEASE'],
    },
  ])('$because', ({ env, broken }) => {
    let problems: readonly { env: string }[] = []
    try {
      parseConfig(declaration, env, [rule])
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError)
      problems = (error as ConfigError).problems
    }
    expect(problems.map((problem) => problem.env)).toEqual(broken)
  })
})

test('the types follow the declaration', () => {
  const declaration = {
    name: text('A', { doc }),
    maybe: text('B', { doc, optional: true }),
    count: number('C', { doc, fallback: 1 }),
    mode: oneOf('D', ['auto', 'skip'], { doc, fallback: 'auto' }),
    maybeMode: oneOf('E', ['a', 'b'], { doc, optional: true }),
    group: {
      on: flag('F', { doc, fallback: true }),
      waitMs: duration('G', { doc, optional: true }),
      names: list('H', { doc, fallback: ['agents'] }),
      overrides: json('I', mapOf(wholeNumber), { doc, fallback: {} }),
      affinity: json('J', anyObject, { doc, optional: true }),
    },
    old: retired('K', { doc, fix: 'Use A.' }),
  }
  const config = parseConfig(declaration, { A: 'x' })
  expectTypeOf(config.name).toEqualTypeOf<string>()
  expectTypeOf(config.maybe).toEqualTypeOf<string | undefined>()
  expectTypeOf(config.count).toEqualTypeOf<number>()
  expectTypeOf(config.mode).toEqualTypeOf<'auto' | 'skip'>()
  expectTypeOf(config.maybeMode).toEqualTypeOf<'a' | 'b' | undefined>()
  expectTypeOf(config.group.on).toEqualTypeOf<boolean>()
  expectTypeOf(config.group.waitMs).toEqualTypeOf<number | undefined>()
  expectTypeOf(config.group.names).toEqualTypeOf<readonly string[]>()
  expectTypeOf(config.group.overrides).toEqualTypeOf<Readonly<Record<string, number>>>()
  expectTypeOf(config.group.affinity).toEqualTypeOf<
    { readonly [key: string]: unknown } | undefined
  >()
  expectTypeOf(config.old).toEqualTypeOf<undefined>()
  // @ts-expect-error a fallback is one of the values
  oneOf('L', ['auto', 'skip'], { doc, fallback: 'later' })
  // @ts-expect-error an alias stands for one of the values
  oneOf('M', ['auto', 'skip'], { doc, aliases: { off: 'never' } })
  // @ts-expect-error a configuration does not change
  config.count = 2
  expect(config.group.names).toEqual(['agents'])
})
