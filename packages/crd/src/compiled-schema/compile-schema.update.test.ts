import { describe, expect, test } from 'vitest'
import type { Json, Schema } from '../schema/schema.ts'
import { compileSchema } from './compile-schema.ts'

describe('validate on update', () => {
  const ports: Schema = {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
    items: {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string' }, port: { type: 'integer', minimum: 1 } },
    },
  }
  const schema: Schema = {
    type: 'object',
    properties: {
      mode: { type: 'string', enum: ['a'] },
      kind: { type: 'string', enum: ['Widget'] },
      ports,
      tags: { type: 'array', items: { type: 'string', maxLength: 1 } },
    },
  }
  const rows: { because: string; old: Json; value: Json; fields: string[] }[] = [
    {
      because: 'errors of unchanged values are tolerated',
      old: { mode: 'z' },
      value: { mode: 'z', tags: [] },
      fields: [],
    },
    {
      because: 'a changed value is validated',
      old: { mode: 'z' },
      value: { mode: 'y' },
      fields: ['mode'],
    },
    {
      because: 'items of a list of type map are correlated by key, in any order',
      old: {
        ports: [
          { name: 'a', port: 0 },
          { name: 'b', port: 1 },
        ],
      },
      value: {
        ports: [
          { name: 'b', port: 0 },
          { name: 'a', port: 0 },
        ],
      },
      fields: ['ports[0].port'],
    },
    {
      because: 'other lists are compared as a whole',
      old: { tags: ['long'] },
      value: { tags: ['long', 'a'] },
      fields: ['tags[0]'],
    },
    {
      because: 'errors in the type of the object are never tolerated',
      old: { kind: 'Gadget' },
      value: { kind: 'Gadget', tags: [] },
      fields: ['kind'],
    },
    {
      because: 'existing duplicates are tolerated',
      old: { ports: [{ name: 'a' }, { name: 'a' }] },
      value: { ports: [{ name: 'a' }, { name: 'a' }], mode: 'a' },
      fields: [],
    },
  ]
  test.each(rows)('$because', ({ old, value, fields }) => {
    expect(
      compileSchema(schema)
        .validate(value, { old })
        .map(({ field }) => field),
    ).toEqual(fields)
  })
})
