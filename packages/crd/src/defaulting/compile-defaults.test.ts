import { describe, expect, test } from 'vitest'
import { compileSchema } from '../compiled-schema/compile-schema.ts'
import type { Json, Schema } from '../schema/schema.ts'

const rows: { because: string; schema: Schema; value: Json; result: Json }[] = [
  {
    because: 'an absent field gets its default',
    schema: { type: 'object', properties: { a: { type: 'string', default: 'x' } } },
    value: {},
    result: { a: 'x' },
  },
  {
    because: 'a present field keeps its value, empty or not',
    schema: { type: 'object', properties: { a: { type: 'string', default: 'x' } } },
    value: { a: '' },
    result: { a: '' },
  },
  {
    because: 'null in a field that is not nullable is replaced by the default',
    schema: { type: 'object', properties: { a: { type: 'string', default: 'x' } } },
    value: { a: null },
    result: { a: 'x' },
  },
  {
    because: 'null in a field that is not nullable and has no default is dropped',
    schema: { type: 'object', properties: { a: { type: 'string' } } },
    value: { a: null },
    result: {},
  },
  {
    because: 'null in a nullable field is kept',
    schema: { type: 'object', properties: { a: { type: 'string', nullable: true, default: 'x' } } },
    value: { a: null },
    result: { a: null },
  },
  {
    because: 'fields of an absent object are not defaulted',
    schema: {
      type: 'object',
      properties: { o: { type: 'object', properties: { a: { type: 'integer', default: 1 } } } },
    },
    value: {},
    result: {},
  },
  {
    because: 'a default object is itself defaulted',
    schema: {
      type: 'object',
      properties: {
        o: {
          type: 'object',
          default: {},
          properties: {
            a: { type: 'integer', default: 1 },
            b: {
              type: 'object',
              default: { c: 2 },
              properties: { c: { type: 'integer' }, d: { type: 'integer', default: 3 } },
            },
          },
        },
      },
    },
    value: {},
    result: { o: { a: 1, b: { c: 2, d: 3 } } },
  },
  {
    because: 'items of lists and members of maps are defaulted',
    schema: {
      type: 'object',
      properties: {
        list: {
          type: 'array',
          items: { type: 'object', properties: { a: { type: 'integer', default: 1 } } },
        },
        map: {
          type: 'object',
          additionalProperties: {
            type: 'object',
            properties: { b: { type: 'integer', default: 2 } },
          },
        },
      },
    },
    value: { list: [{}, { a: 5 }], map: { x: {}, y: null } },
    result: { list: [{ a: 1 }, { a: 5 }], map: { x: { b: 2 } } },
  },
  {
    because: 'null items are kept unless items have a default',
    schema: {
      type: 'object',
      properties: {
        plain: { type: 'array', items: { type: 'string' } },
        filled: { type: 'array', items: { type: 'string', default: 'x' } },
      },
    },
    value: { plain: [null], filled: [null] },
    result: { plain: [null], filled: ['x'] },
  },
  {
    because: 'null in a default is kept, because nulls are dropped before defaults are set',
    schema: {
      type: 'object',
      properties: {
        o: {
          type: 'object',
          default: { a: null },
          additionalProperties: { 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    },
    value: {},
    result: { o: { a: null } },
  },
  {
    because: 'null from a default is dropped when the object is defaulted again',
    schema: {
      type: 'object',
      properties: {
        o: {
          type: 'object',
          default: { a: null },
          additionalProperties: { 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    },
    value: { o: { a: null } },
    result: { o: {} },
  },
]

describe('applyDefaults', () => {
  test.each(rows)('$because', ({ schema, value, result }) => {
    const copy = structuredClone(value)
    compileSchema(schema).applyDefaults(copy)
    expect(copy).toEqual(result)
  })

  test('every object gets its own copy of a default', () => {
    const compiled = compileSchema({
      type: 'object',
      properties: {
        o: {
          type: 'object',
          default: { list: ['a'] },
          'x-kubernetes-preserve-unknown-fields': true,
        },
      },
    })
    const first: { o?: { list: string[] } } = {}
    const second: { o?: { list: string[] } } = {}
    compiled.applyDefaults(first)
    compiled.applyDefaults(second)
    first.o?.list.push('b')
    expect(second).toEqual({ o: { list: ['a'] } })
  })
})
