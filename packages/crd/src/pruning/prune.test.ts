import { describe, expect, test } from 'vitest'
import { compileSchema } from '../compiled-schema/compile-schema.ts'
import type { Json, Schema } from '../schema/schema.ts'

interface Row {
  because: string
  schema: Schema
  value: Json
  isResourceRoot?: boolean
  left: Json
  dropped: string[]
}

const rows: Row[] = [
  {
    because: 'unknown fields are dropped, and their sorted paths are returned',
    schema: {
      type: 'object',
      properties: {
        list: { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } } },
      },
    },
    value: { z: 1, list: [{ a: 'x', bar: 1 }] },
    left: { list: [{ a: 'x' }] },
    dropped: ['list[0].bar', 'z'],
  },
  {
    because: 'type and metadata at the root of a resource are kept',
    schema: { type: 'object', properties: { spec: { type: 'object' } } },
    value: { apiVersion: 'v1', kind: 'X', metadata: { any: 1 }, spec: { a: 1 }, other: 1 },
    isResourceRoot: true,
    left: { apiVersion: 'v1', kind: 'X', metadata: { any: 1 }, spec: {} },
    dropped: ['other', 'spec.a'],
  },
  {
    because: 'type and metadata at another root are dropped without a path',
    schema: { type: 'object', properties: {} },
    value: { kind: 'X', other: 1 },
    left: {},
    dropped: ['other'],
  },
  {
    because: 'objects that preserve unknown fields are still pruned below known ones',
    schema: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: { known: { type: 'object', properties: { a: { type: 'string' } } } },
    },
    value: { anything: { at: ['all'] }, known: { a: 'x', b: 1 } },
    left: { anything: { at: ['all'] }, known: { a: 'x' } },
    dropped: ['known.b'],
  },
  {
    because: 'embedded resources keep their type and metadata',
    schema: {
      type: 'object',
      properties: {
        template: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          properties: { spec: { type: 'object' } },
        },
      },
    },
    value: {
      template: { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'x' }, spec: {}, status: {} },
    },
    left: { template: { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'x' }, spec: {} } },
    dropped: ['template.status'],
  },
  {
    because: 'embedded metadata keeps the fields of metadata',
    schema: {
      type: 'object',
      properties: {
        one: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
        },
        many: {
          type: 'array',
          'x-kubernetes-preserve-unknown-fields': true,
          items: { type: 'object', 'x-kubernetes-embedded-resource': true },
        },
      },
    },
    value: {
      one: { metadata: { name: 'x', odd: 1 }, anything: true },
      many: [{ metadata: { odd: 1 } }],
    },
    left: { one: { metadata: { name: 'x' }, anything: true }, many: [{ metadata: {} }] },
    dropped: ['many[0].metadata.odd', 'one.metadata.odd'],
  },
  {
    because: 'all keys of a map are kept',
    schema: {
      type: 'object',
      properties: { m: { type: 'object', additionalProperties: { type: 'string' } } },
    },
    value: { m: { a: 'x', 'b.c': 'y' } },
    left: { m: { a: 'x', 'b.c': 'y' } },
    dropped: [],
  },
  {
    because: 'an object in place of a scalar loses its fields',
    schema: { type: 'object', properties: { n: { type: 'integer' } } },
    value: { n: { a: 1 } },
    left: { n: {} },
    dropped: ['n.a'],
  },
  {
    because: 'int-or-string is a scalar too',
    schema: { type: 'object', properties: { p: { 'x-kubernetes-int-or-string': true } } },
    value: { p: '80%' },
    left: { p: '80%' },
    dropped: [],
  },
  {
    because: 'additionalProperties: true allows keys but no fields below them',
    schema: { type: 'object', properties: { m: { type: 'object', additionalProperties: true } } },
    value: { m: { a: { b: 1 }, c: 2 } },
    left: { m: { a: {}, c: 2 } },
    dropped: ['m.a.b'],
  },
]

describe('prune', () => {
  test.each(rows)('$because', ({ schema, value, isResourceRoot, left, dropped }) => {
    const copy = structuredClone(value)
    expect(compileSchema(schema).prune(copy, { isResourceRoot: isResourceRoot === true })).toEqual(
      dropped,
    )
    expect(copy).toEqual(left)
  })
})
