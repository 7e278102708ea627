import { describe, expect, test } from 'vitest'
import { formatFieldError } from '../field-error/field-error.ts'
import type { Json, Schema } from '../schema/schema.ts'
import { compileSchema } from './compile-schema.ts'

/** Wraps a schema and a value one level down, where most fields live. */
function errorsOf(schema: Schema, value: Json): string[] {
  const compiled = compileSchema({
    type: 'object',
    properties: { spec: { type: 'object', properties: { x: schema } } },
  })
  return compiled.validate({ spec: { x: value } }).map(formatFieldError)
}

interface Row {
  because: string
  schema: Schema
  value: Json
  errors: string[]
}

const wording: Row[] = [
  {
    because: 'a wrong type is mentioned twice, once as the value',
    schema: { type: 'integer' },
    value: 'three',
    errors: ['spec.x: Invalid value: "string": spec.x in body must be of type integer: "string"'],
  },
  {
    because: 'a fraction is not an integer, by type and by range',
    schema: { type: 'integer' },
    value: 1.5,
    errors: [
      'spec.x: Invalid value: "number": spec.x in body must be of type integer: "number"',
      '<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.x',
    ],
  },
  {
    because: 'null requires nullable',
    schema: { type: 'string' },
    value: null,
    errors: ['spec.x: Invalid value: "null": spec.x in body must be of type string: "null"'],
  },
  {
    because: 'nullable allows null',
    schema: { type: 'string', nullable: true },
    value: null,
    errors: [],
  },
  {
    because: 'null matches no enum, even with nullable',
    schema: { type: 'string', nullable: true, enum: ['a'] },
    value: null,
    errors: ['spec.x: Unsupported value: null: supported values: "a"'],
  },
  {
    because: 'supported values are listed in order and quoted',
    schema: { type: 'string', enum: ['b', 'a'] },
    value: 'c',
    errors: ['spec.x: Unsupported value: "c": supported values: "b", "a"'],
  },
  {
    because: 'too long omits the value and counts bytes',
    schema: { type: 'string', maxLength: 5 },
    value: 'abcdef',
    errors: ['spec.x: Too long: may not be more than 5 bytes'],
  },
  {
    because: 'length counts code points, not UTF-16 units',
    schema: { type: 'string', maxLength: 2, minLength: 2 },
    value: '😀😀',
    errors: [],
  },
  {
    because: 'lengths also count code points in the exact report',
    schema: {
      type: 'object',
      properties: { long: { type: 'string', maxLength: 2 }, n: { type: 'integer' } },
    },
    value: { long: 'é😀', n: 'one' },
    errors: [
      'spec.x.n: Invalid value: "string": spec.x.n in body must be of type integer: "string"',
    ],
  },
  {
    because: 'two units may be one code point',
    schema: { type: 'string', minLength: 2 },
    value: '😀',
    errors: ['spec.x: Invalid value: "😀": spec.x in body should be at least 2 chars long'],
  },
  {
    because: 'a pattern is quoted as declared',
    schema: { type: 'string', pattern: '^a$' },
    value: 'b',
    errors: ['spec.x: Invalid value: "b": spec.x in body should match \'^a$\''],
  },
  {
    because: 'a pattern matches anywhere unless anchored',
    schema: { type: 'string', pattern: 'b' },
    value: 'abc',
    errors: [],
  },
  {
    because: 'patterns are RE2: inline flags are legal',
    schema: { type: 'string', pattern: '(?i)^ABC$' },
    value: 'abc',
    errors: [],
  },
  {
    because: 'a bound is inclusive',
    schema: { type: 'integer', minimum: 1 },
    value: 0,
    errors: ['spec.x: Invalid value: 0: spec.x in body should be greater than or equal to 1'],
  },
  {
    because: 'unless it is exclusive',
    schema: { type: 'integer', maximum: 5, exclusiveMaximum: true },
    value: 5,
    errors: ['spec.x: Invalid value: 5: spec.x in body should be less than 5'],
  },
  {
    because: 'floats are printed as Go prints them',
    schema: { type: 'number', minimum: 0.00001 },
    value: 0.0000001,
    errors: [
      'spec.x: Invalid value: 1e-07: spec.x in body should be greater than or equal to 1e-05',
    ],
  },
  {
    because: 'int32 has a range, and its error has no path',
    schema: { type: 'integer', format: 'int32' },
    value: 4294967296,
    errors: [
      '<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.x',
    ],
  },
  {
    because: 'int64 is exact beyond the integers of a double',
    schema: { type: 'integer', format: 'int64', maximum: 100 },
    value: 9223372036854775807n,
    errors: [
      'spec.x: Invalid value: 9223372036854775807: spec.x in body should be less than or equal to 100',
    ],
  },
  {
    because: 'a bigint is an integer',
    schema: { type: 'integer' },
    value: 9007199254740993n,
    errors: [],
  },
  {
    because: 'an integer beyond int64 is a number',
    schema: { type: 'integer' },
    value: 2n ** 70n,
    errors: [
      'spec.x: Invalid value: "number": spec.x in body must be of type integer: "number"',
      '<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.x',
    ],
  },
  {
    because: 'multiples',
    schema: { type: 'integer', multipleOf: 3 },
    value: 4,
    errors: ['spec.x: Invalid value: 4: spec.x in body should be a multiple of 3'],
  },
  {
    because: 'a format that fails is a type that fails',
    schema: { type: 'string', format: 'date-time' },
    value: 'today',
    errors: ['spec.x: Invalid value: "today": spec.x in body must be of type date-time: "today"'],
  },
  {
    because: 'unknown formats are ignored',
    schema: { type: 'string', format: 'nonsense' },
    value: 'x',
    errors: [],
  },
  {
    because: 'too many items',
    schema: { type: 'array', maxItems: 1, items: { type: 'string' } },
    value: ['a', 'b'],
    errors: ['spec.x: Too many: 2: must have at most 1 item'],
  },
  {
    because: 'too few items',
    schema: { type: 'array', minItems: 1, items: { type: 'string' } },
    value: [],
    errors: ['spec.x: Invalid value: 0: spec.x in body should have at least 1 items'],
  },
  {
    because: 'items are named by index',
    schema: { type: 'array', items: { type: 'string' } },
    value: ['a', 1],
    errors: [
      'spec.x[1]: Invalid value: "integer": spec.x[1] in body must be of type string: "integer"',
    ],
  },
  {
    because: 'members of a map are named by key, dots and all',
    schema: { type: 'object', additionalProperties: { type: 'string' } },
    value: { 'a.b': 1 },
    errors: [
      'spec.x.a.b: Invalid value: "integer": spec.x.a.b in body must be of type string: "integer"',
    ],
  },
  {
    because: 'too many properties',
    schema: { type: 'object', maxProperties: 1, additionalProperties: { type: 'string' } },
    value: { a: 'a', b: 'b' },
    errors: ['spec.x: Too many: 2: must have at most 1 item'],
  },
  {
    because: 'a missing required field',
    schema: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
    value: {},
    errors: ['spec.x.name: Required value'],
  },
  {
    because: 'int-or-string names both types',
    schema: { 'x-kubernetes-int-or-string': true },
    value: true,
    errors: [
      'spec.x: Invalid value: "boolean": spec.x in body must be of type integer,string: "boolean"',
    ],
  },
  {
    because: 'anyOf reports the best matching branch',
    schema: { type: 'string', anyOf: [{ minLength: 5 }, { pattern: '^z' }] },
    value: 'abc',
    errors: [
      '<nil>: Invalid value: "": "spec.x" must validate at least one schema (anyOf)',
      'spec.x: Invalid value: "abc": spec.x in body should be at least 5 chars long',
    ],
  },
  {
    because: 'oneOf must match exactly once',
    schema: { type: 'string', oneOf: [{ minLength: 1 }, { minLength: 2 }] },
    value: 'abc',
    errors: [
      '<nil>: Invalid value: "": "spec.x" must validate one and only one schema (oneOf). Found 2 valid alternatives',
    ],
  },
  {
    because: 'allOf reports if no branch matched',
    schema: { type: 'string', allOf: [{ minLength: 5 }] },
    value: 'abc',
    errors: [
      'spec.x: Invalid value: "abc": spec.x in body should be at least 5 chars long',
      '<nil>: Invalid value: "": "spec.x" must validate all the schemas (allOf). None validated',
    ],
  },
  {
    because: 'not',
    schema: { type: 'string', not: { pattern: '^a' } },
    value: 'abc',
    errors: ['<nil>: Invalid value: "": "spec.x" must not validate the schema (not)'],
  },
  {
    because: 'items of a set are unique; only the second occurrence is reported',
    schema: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    value: ['a', 'a', 'a'],
    errors: ['spec.x[1]: Duplicate value: "a"'],
  },
  {
    because: 'items of a list of type map have unique keys',
    schema: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name', 'port'],
      items: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          port: { type: 'integer' },
          note: { type: 'string' },
        },
      },
    },
    value: [
      { name: 'a', port: 1, note: 'x' },
      { name: 'a', port: 2 },
      { name: 'a', port: 1 },
    ],
    errors: ['spec.x[2]: Duplicate value: {"name":"a","port":1}'],
  },
  {
    because: 'an embedded resource needs a type and valid metadata',
    schema: {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    },
    value: { apiVersion: 'a/b/c', metadata: { name: 'a/b', labels: { ok: 'not ok' } } },
    errors: [
      'spec.x.kind: Required value',
      'spec.x.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
      'spec.x.metadata.name: Invalid value: "a/b": may not contain \'/\'',
      "spec.x.metadata.labels: Invalid value: \"not ok\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    ],
  },
]

describe('validate', () => {
  test.each(wording)('$because', ({ schema, value, errors }) => {
    expect(errorsOf(schema, value)).toEqual(errors)
  })

  test('the cause reasons of types, enums and sizes differ', () => {
    const compiled = compileSchema({
      type: 'object',
      required: ['d'],
      properties: {
        a: { type: 'integer' },
        b: { type: 'string', enum: ['x'] },
        c: { type: 'string', maxLength: 1 },
      },
    })
    expect(
      compiled
        .validate({ a: '', b: '', c: 'long' })
        .map(({ reason, field }) => `${field} ${reason}`),
    ).toEqual([
      'a FieldValueTypeInvalid',
      'b FieldValueNotSupported',
      'c FieldValueTooLong',
      'd FieldValueRequired',
    ])
  })

  test('a status write prefixes fields, not the paths in messages', () => {
    const compiled = compileSchema({ type: 'object', properties: { phase: { type: 'string' } } })
    expect(compiled.validate({ phase: 1 }, { fieldPath: 'status' }).map(formatFieldError)).toEqual([
      'status.phase: Invalid value: "integer": phase in body must be of type string: "integer"',
    ])
  })
})
