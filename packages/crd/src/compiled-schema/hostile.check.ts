import { Worker } from 'node:worker_threads'
import { describe, expect, test } from 'vitest'
import type { Json, Schema } from '../schema/schema.ts'
import { checkStructural } from '../structural/check-structural.ts'
import { compileSchema } from './compile-schema.ts'

/** `[[[…]]]` or `{a:{a:…}}`, built without recursion. */
function nest(depth: number, wrap: (inner: Json) => Json): Json {
  let value: Json = 1
  for (let level = 0; level < depth; level += 1) value = wrap(value)
  return value
}

function inArray(inner: Json): Json {
  return [inner]
}

function inObject(inner: Json): Json {
  return { a: inner }
}

const anything: Schema = {
  type: 'object',
  properties: { x: { 'x-kubernetes-preserve-unknown-fields': true } },
}

describe('hostile input', () => {
  test.each([
    { because: 'arrays', wrap: inArray },
    { because: 'objects', wrap: inObject },
  ])('100,000 levels of $because are rejected with an error', ({ wrap }) => {
    const compiled = compileSchema(anything)
    const value = { x: nest(100_000, wrap) }
    expect(compiled.prune(value)).toEqual([])
    compiled.applyDefaults(value)
    const [error, ...more] = compiled.validate(value)
    expect(more).toEqual([])
    expect(error?.field).toBe('x')
    expect(error?.message).toContain('must not be nested deeper than 10000 levels')
    expect(compiled.validate(value, { old: value })).toHaveLength(1)
  })

  test('9,000 levels are accepted', () => {
    expect(compileSchema(anything).validate({ x: nest(9_000, inArray) })).toEqual([])
  })

  test('deep values without a schema are pruned and printed safely', () => {
    const compiled = compileSchema({
      type: 'object',
      properties: {
        m: { type: 'object', additionalProperties: true },
        e: { type: 'string', enum: ['a'] },
      },
    })
    const value = { m: { deep: nest(100_000, inArray) }, e: nest(100_000, inArray) }
    expect(compiled.validate(value).map(({ field }) => field)).toEqual(['e', 'e'])
    expect(compiled.prune(value)).toEqual([])
  })

  test('a string of three megabytes is measured, matched and printed', () => {
    const compiled = compileSchema({
      type: 'object',
      properties: {
        long: { type: 'string', maxLength: 10 },
        coded: { type: 'string', format: 'byte' },
        plain: { type: 'string', pattern: '^[a-z]*$' },
        both: { type: 'string', pattern: '^([a-z]+)*!$' },
      },
    })
    const text = 'a'.repeat(3 * 1024 * 1024)
    expect(compiled.validate({ coded: text, plain: text })).toEqual([])
    expect(compiled.validate({ long: text }).map(({ message }) => message)).toEqual([
      'Too long: may not be more than 10 bytes',
    ])
    expect(compiled.validate({ both: text.slice(0, 50_000) })).toHaveLength(1)
  })

  const many = Array.from({ length: 150_000 }, (_, index) => index)

  test.each([
    {
      because: 'repeated items of a set',
      schema: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'integer' } },
      items: [...many, ...many],
    },
    {
      because: 'embedded resources without a type',
      schema: {
        type: 'array',
        items: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
        },
      },
      items: many.map(() => ({})),
    },
  ] satisfies { because: string; schema: Schema; items: Json }[])(
    'all errors that fit in a request are reported: $because',
    ({ schema, items }) => {
      const compiled = compileSchema({ type: 'object', properties: { l: schema } })
      expect(compiled.validate({ l: items }).length).toBeGreaterThanOrEqual(many.length)
    },
  )

  test('all errors that fit in a schema are reported', () => {
    const properties = Object.fromEntries(many.map((index): [string, Schema] => [`p${index}`, {}]))
    const schema: Schema = {
      type: 'object',
      properties: { x: { type: 'object', properties } },
    }
    expect(checkStructural(schema).length).toBe(many.length)
  })

  test('__proto__ and constructor are ordinary keys', () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string","default":"p"},"constructor":{"type":"integer","default":1},"toString":{"type":"string"}},"required":["toString"]}',
    ) as Schema
    const compiled = compileSchema(schema)
    const empty: Json = {}
    expect(compiled.validate(empty).map(({ field }) => field)).toEqual(['toString'])
    compiled.applyDefaults(empty)
    expect(Object.entries(empty)).toEqual([
      ['__proto__', 'p'],
      ['constructor', 1],
    ])
    expect(Object.getPrototypeOf(empty)).toBe(Object.prototype)

    const given = JSON.parse(
      '{"__proto__":{"polluted":true},"constructor":"x","hasOwnProperty":1}',
    ) as Json
    expect(compiled.prune(given)).toEqual(['__proto__.polluted', 'hasOwnProperty'])
    expect(compiled.validate(given).map(({ field }) => field)).toEqual([
      '__proto__',
      'constructor',
      'toString',
    ])
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  test('no name, pattern or enum value can inject code', () => {
    const strange = [
      '"];globalThis.owned=1;//',
      `\`$${'{globalThis.owned=1}'}\``,
      '\u2028',
      '\\',
      "'",
      '*/',
      '</script>',
      '\0',
    ]
    const properties = Object.fromEntries(
      strange.map((name): [string, Schema] => [
        name,
        { type: 'string', enum: strange, default: name, pattern: name === '\\' ? '\\\\' : '.' },
      ]),
    )
    const compiled = compileSchema({ type: 'object', properties, required: strange })
    const value: Json = {}
    compiled.applyDefaults(value)
    expect(Object.keys(value)).toEqual(strange)
    expect(compiled.prune(value)).toEqual([])
    expect(compiled.validate(value).filter(({ reason }) => reason !== 'FieldValueInvalid')).toEqual(
      [],
    )
    expect((globalThis as { owned?: number }).owned).toBeUndefined()
  })

  test('catastrophic patterns are matched in time', async () => {
    const outcome = await inWorker(
      [
        '^(a+)+$',
        '^(a|aa)+$',
        '(x+x+)+y',
        '^(([a-z])+.)+[A-Z]([a-z])+$',
        '(.*)*b',
        '^(a?){50}a{50}$',
      ],
      'a'.repeat(2_000),
    )
    expect(outcome).toBe('done')
  })
})

/** Validates in a thread that is ended if it does not answer: a hang must fail the test, not the suite. */
function inWorker(patterns: readonly string[], text: string): Promise<string> {
  const source = `
    import { parentPort, workerData } from 'node:worker_threads'
    const { compileSchema } = await import(workerData.module)
    for (const pattern of workerData.patterns) {
      const compiled = compileSchema({ type: 'object', properties: { x: { type: 'string', pattern } } })
      compiled.validate({ x: workerData.text + '!' })
    }
    parentPort.postMessage('done')`
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`), {
    workerData: { module: new URL('./compile-schema.ts', import.meta.url).href, patterns, text },
  })
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      void worker.terminate()
      resolve('hung')
    }, 240_000)
    const settle = (finish: () => void) => {
      clearTimeout(timer)
      finish()
      void worker.terminate()
    }
    worker.once('message', (message: string) => settle(() => resolve(message)))
    worker.once('error', (error) => settle(() => reject(error)))
  })
}
