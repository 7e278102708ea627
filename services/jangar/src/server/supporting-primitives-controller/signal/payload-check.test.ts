import type { Json } from '@agents/crd'
import { parseJson } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { compilePayloadCheck } from './payload-check.ts'

function problemOf(schema: unknown, payload: unknown): string | undefined {
  const compiled = compilePayloadCheck(schema)
  if (!compiled.ok) throw new Error(compiled.message)
  return compiled.problemOf(payload as Json | undefined)
}

const release = {
  type: 'object',
  required: ['environment'],
  properties: {
    environment: { type: 'string', enum: ['staging', 'production'] },
    checks: { type: 'array', maxItems: 3, items: { type: 'string', pattern: '^[a-z]+$' } },
    owner: { type: 'object', properties: { age: { type: 'integer' } } },
    from: { type: 'integer' },
    to: { type: 'integer' },
  },
  'x-kubernetes-validations': [
    { rule: '!has(self.from) || !has(self.to) || self.from <= self.to', message: 'from is later' },
  ],
}

describe('a payload', () => {
  test.each([
    { because: 'it fits', payload: { environment: 'staging' }, problem: undefined },
    { because: 'unknown fields are allowed', payload: { environment: 'staging', more: [1] } },
    {
      because: 'there is none',
      payload: undefined,
      problem: 'spec.payload is missing, and the Signal has a schema',
    },
    {
      because: 'a field is missing',
      payload: {},
      problem: 'spec.payload.environment is required by the schema of the Signal',
    },
    {
      because: 'a value is not listed',
      payload: { environment: 'home' },
      problem: 'spec.payload.environment is not one of the values that the schema allows',
    },
    {
      because: 'a type differs below',
      payload: { environment: 'staging', owner: { age: 'old' } },
      problem: 'spec.payload.owner.age does not have the type that the schema requires',
    },
    {
      because: 'an item does not match',
      payload: { environment: 'staging', checks: ['tests', '7'] },
      problem: 'spec.payload.checks[1] does not fit the schema of the Signal',
    },
    {
      because: 'a CEL rule is broken',
      payload: { environment: 'staging', from: 2, to: 1 },
      problem: 'spec.payload does not fit the schema of the Signal',
    },
    {
      because: 'it is a list',
      payload: ['staging'],
      problem: 'spec.payload does not have the type that the schema requires',
    },
    {
      because: 'a name that every object inherits is no field of it',
      payload: JSON.parse('{"__proto__": {"environment": "staging"}}'),
      problem: 'spec.payload.environment is required by the schema of the Signal',
    },
  ])('is judged by the schema: $because', ({ payload, problem }) => {
    expect(problemOf(release, payload)).toBe(problem)
  })

  test('is not quoted when it is refused: it may be confidential', () => {
    const text = problemOf(release, { environment: 'hunter2', owner: { age: 'hunter3' } })
    expect(text).not.toContain('hunter')
  })

  test.each([
    { because: 'any value without a schema', payload: 7 },
    { because: 'none without a schema', payload: undefined },
    { because: 'exactly 16 KiB', payload: 'x'.repeat(16 * 1024 - 2) },
  ])('is accepted: $because', ({ payload }) => {
    expect(problemOf(undefined, payload)).toBe(undefined)
  })

  test.each([
    { because: 'it is an integer', schema: { type: 'integer' }, problem: undefined },
    { because: 'it is a number', schema: { type: 'number' }, problem: undefined },
    { because: 'there is no schema', schema: undefined, problem: undefined },
    { because: 'it is no string', schema: { type: 'string' }, problem: 'does not have the type' },
    {
      because: 'it is too large',
      schema: { type: 'integer', maximum: 7 },
      problem: 'does not fit',
    },
    {
      because: 'CEL counts with all its digits',
      schema: {
        type: 'integer',
        'x-kubernetes-validations': [{ rule: 'self == 9007199254740993' }],
      },
      problem: undefined,
    },
    {
      because: 'CEL does not round it',
      schema: {
        type: 'integer',
        'x-kubernetes-validations': [{ rule: 'self == 9007199254740992' }],
      },
      problem: 'does not fit',
    },
  ])('may be an integer that JavaScript cannot count: $because', ({ schema, problem }) => {
    const payload = parseJson('{"id": 9007199254740993}')
    const found = problemOf(schema && { type: 'object', properties: { id: schema } }, payload)
    expect(found).toEqual(problem === undefined ? undefined : expect.stringContaining(problem))
  })

  test.each([
    { because: 'one byte too much', payload: 'x'.repeat(16 * 1024 - 1), problem: '16 KiB' },
    { because: 'bytes count, not characters', payload: 'ä'.repeat(8192), problem: '16 KiB' },
    { because: 'deep', payload: nested(101), problem: 'deeper than 100 levels' },
    { because: 'as deep as an API server accepts', payload: nested(9000), problem: 'deeper than' },
  ])('is too large: $because', ({ payload, problem }) => {
    expect(problemOf(undefined, payload)).toContain(problem)
  })

  test('with long and odd names has a short problem in one line', () => {
    const schema = { type: 'object', additionalProperties: { type: 'integer' } }
    const text = problemOf(schema, { [`a\n\u202e${'b'.repeat(5000)}`]: 'x' })
    expect(text?.length).toBeLessThan(400)
    expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  })
})

describe('a schema', () => {
  test.each([
    { because: 'no type', schema: { properties: {} }, path: 'spec.schema.type' },
    {
      because: 'a wrong type below',
      schema: { type: 'object', properties: { a: { type: 'text' } } },
      path: 'spec.schema.properties[a].type',
    },
    {
      because: 'an invalid pattern',
      schema: { type: 'string', pattern: '(' },
      path: 'spec.schema.pattern',
    },
    {
      because: 'CEL that does not compile',
      schema: {
        type: 'object',
        properties: {
          a: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self.b > 1' }] },
        },
      },
      path: 'spec.schema.properties[a].x-kubernetes-validations[0].rule',
    },
    {
      because: 'a payload has no metadata',
      schema: {
        type: 'object',
        properties: { a: { type: 'integer' } },
        'x-kubernetes-validations': [{ rule: "self.metadata.name == 'a'" }],
      },
      path: 'spec.schema.x-kubernetes-validations[0].rule',
    },
    {
      because: 'keywords of other dialects',
      schema: { type: 'object', properties: {}, $ref: '#/definitions/a' },
      path: 'spec.schema.$ref',
    },
    { because: 'a list', schema: [], path: 'spec.schema' },
    {
      because: 'too large',
      schema: { type: 'object', description: 'x'.repeat(64 * 1024) },
      path: 'spec.schema has more than 64 KiB',
    },
  ])('is refused with its path: $because', ({ schema, path }) => {
    const compiled = compilePayloadCheck(schema)
    expect(compiled.ok ? 'ok' : compiled.message).toContain(path)
    expect(compiled.ok ? '' : compiled.message.length).toBeLessThan(700)
  })

  test('that makes a check long is stopped', () => {
    const patterns = Array.from({ length: 200 }, (_, at) => ({ pattern: `(a*)*(b|a)*c${at}` }))
    const schema = { type: 'array', items: { type: 'string', allOf: patterns } }
    const payload = Array.from({ length: 100 }, () => 'a'.repeat(150))
    const compiled = compilePayloadCheck(schema, 1)
    expect(compiled.ok && compiled.problemOf(payload)).toBe(
      'checking spec.payload takes too long; simplify the schema',
    )
  })
})

function nested(depth: number): Json {
  let value: Json = 1
  for (let level = 0; level < depth; level += 1) value = [value]
  return value
}
