import { describe, expect, test } from 'vitest'
import { invalid } from '../field-error/constructors.ts'
import { formatFieldError } from '../field-error/field-error.ts'
import type { Schema } from '../schema/schema.ts'
import { checkStructural } from './check-structural.ts'

function inSpec(schema: unknown): Schema {
  return { type: 'object', properties: { spec: schema as Schema } }
}

const rows: { because: string; schema: unknown; errors: string[] }[] = [
  {
    because: 'a plain structural schema has no errors',
    schema: inSpec({ type: 'string' }),
    errors: [],
  },
  {
    because: 'every field needs a type',
    schema: inSpec({}),
    errors: [
      's.properties[spec].type: Required value: must not be empty for specified object fields',
    ],
  },
  {
    because: 'int-or-string and preserved fields need no type',
    schema: {
      type: 'object',
      properties: {
        a: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
        b: { 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
    errors: [],
  },
  {
    because: 'arrays need items',
    schema: inSpec({ type: 'array' }),
    errors: ['s.properties[spec].items: Required value: must be specified'],
  },
  {
    because: 'the root is an object',
    schema: { type: 'array', items: { type: 'string' } },
    errors: ['s.type: Invalid value: "array": must be object at the root'],
  },
  {
    because: 'junctors may only contain value validation',
    schema: inSpec({ type: 'string', anyOf: [{ type: 'string', description: 'x', minLength: 1 }] }),
    errors: [
      's.properties[spec].anyOf[0].description: Forbidden: must be empty to be structural',
      's.properties[spec].anyOf[0].type: Forbidden: must be empty to be structural',
    ],
  },
  {
    because: 'fields in the junctors of the root must be specified',
    schema: { type: 'object', properties: {}, anyOf: [{ properties: { a: { minLength: 1 } } }] },
    errors: ['s.properties[a]: Required value: because it is defined in s.anyOf[0].properties[a]'],
  },
  {
    because: 'metadata must not be specified',
    schema: { type: 'object', properties: { metadata: { type: 'object', description: 'x' } } },
    errors: [
      's.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
    ],
  },
  {
    because: 'a pattern must be RE2',
    schema: inSpec({ type: 'string', pattern: '(?=a)' }),
    errors: [
      's.properties[spec].pattern: Invalid value: "(?=a)": must be a valid regular expression, but isn\'t: error parsing regexp: invalid or unsupported Perl syntax: `(?=`',
    ],
  },
  {
    because: 'references are not supported',
    schema: inSpec({ $ref: '#/definitions/x' }),
    errors: ['s.properties[spec].$ref: Forbidden: $ref is not supported'],
  },
  {
    because: 'properties and additionalProperties exclude each other',
    schema: inSpec({
      type: 'object',
      properties: { a: { type: 'string' } },
      additionalProperties: { type: 'string' },
    }),
    errors: [
      's.properties[spec].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive',
    ],
  },
  {
    because: 'uniqueItems is forbidden because it has quadratic cost',
    schema: inSpec({ type: 'array', uniqueItems: true, items: { type: 'string' } }),
    errors: [
      's.properties[spec].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
    ],
  },
  {
    because: 'keys of a map list are required or defaulted, and scalar',
    schema: inSpec({
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['a', 'b', 'c'],
      items: {
        type: 'object',
        required: ['b'],
        properties: { a: { type: 'string' }, b: { type: 'array', items: { type: 'string' } } },
      },
    }),
    errors: [
      's.properties[spec].items.properties[b].type: Invalid value: "object": must be a scalar type if parent array\'s x-kubernetes-list-type is map',
      's.properties[spec].x-kubernetes-list-map-keys: Invalid value: ["a","b","c"]: entries must all be names of item properties',
      's.properties[spec].items.properties[a].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
    ],
  },
  {
    because: 'items of a set are atomic',
    schema: inSpec({ type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'object' } }),
    errors: [
      's.properties[spec].items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set',
    ],
  },
  {
    because: 'a default must be valid',
    schema: inSpec({ type: 'integer', minimum: 1, default: 0 }),
    errors: [
      's.properties[spec].default: Invalid value: 0:  in body should be greater than or equal to 1',
    ],
  },
  {
    because: 'a default must not have unknown fields',
    schema: inSpec({ type: 'object', properties: { a: { type: 'string' } }, default: { b: 1 } }),
    errors: ['s.properties[spec].default: Invalid value: {"b":1}: must not have unknown fields'],
  },
  {
    because: 'metadata has no defaults',
    schema: {
      type: 'object',
      properties: {
        metadata: { type: 'object', properties: { name: { type: 'string', default: 'x' } } },
      },
    },
    errors: [
      's.properties[metadata].properties[name].default: Forbidden: must not be set in top-level metadata',
    ],
  },
  {
    because: 'a rule with line breaks needs a message',
    schema: inSpec({
      type: 'string',
      'x-kubernetes-validations': [{ rule: "self != ''\n&& self != 'x'" }],
    }),
    errors: [
      's.properties[spec].x-kubernetes-validations[0].message: Required value: message must be specified if rule contains line breaks',
    ],
  },
  {
    because: 'the fieldPath of a rule must exist',
    schema: inSpec({
      type: 'object',
      properties: { a: { type: 'string' } },
      'x-kubernetes-validations': [{ rule: 'true', fieldPath: '.b' }],
    }),
    errors: [
      's.properties[spec].x-kubernetes-validations[0].fieldPath: Invalid value: ".b": must be a valid path',
    ],
  },
  {
    because: 'a value of the wrong type is not a schema',
    schema: inSpec({ type: 'string', required: 'name' }),
    errors: [
      's.properties[spec].required: Invalid value: "string": s.properties[spec].required in body must be of type array of strings: "string"',
    ],
  },
]

describe('checkStructural', () => {
  test.each(rows)('$because', ({ schema, errors }) => {
    expect(checkStructural(schema as Schema, { fieldPath: 's' }).map(formatFieldError)).toEqual(
      errors,
    )
  })

  test('rules are compiled only if the schema has no other errors', () => {
    const checkRules = (_: Schema, fieldPath: string) => [
      invalid(`${fieldPath}.rule`, 'x', 'does not compile'),
    ]
    expect(
      checkStructural(inSpec({ type: 'string' }), { checkRules }).map(formatFieldError),
    ).toEqual(['openAPIV3Schema.rule: Invalid value: "x": does not compile'])
    expect(checkStructural(inSpec({}), { checkRules }).map(({ reason }) => reason)).toEqual([
      'FieldValueRequired',
    ])
  })

  test('a schema that nests too deep is rejected with an error', () => {
    let schema: Schema = { type: 'string' }
    for (let depth = 0; depth < 100_000; depth += 1) schema = { type: 'array', items: schema }
    const [error, ...more] = checkStructural(inSpec(schema))
    expect(more).toEqual([])
    expect(error?.message).toContain('must not be nested deeper than 500 levels')
  })
})
