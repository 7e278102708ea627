import { describe, expect, test } from 'vitest'
import type { Json, Schema } from '../schema.ts'
import { compileSchema } from './compile.ts'

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
      because: 'what was invalid and did not change is tolerated',
      old: { mode: 'z' },
      value: { mode: 'z', tags: [] },
      fields: [],
    },
    {
      because: 'a changed value is judged',
      old: { mode: 'z' },
      value: { mode: 'y' },
      fields: ['mode'],
    },
    {
      because: 'items of a map list are recognised by key, wherever they moved',
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
      because: 'other lists change as a whole',
      old: { tags: ['long'] },
      value: { tags: ['long', 'a'] },
      fields: ['tags[0]'],
    },
    {
      because: 'the type of the object is never tolerated',
      old: { kind: 'Gadget' },
      value: { kind: 'Gadget', tags: [] },
      fields: ['kind'],
    },
    {
      because: 'duplicates that were there may stay',
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
