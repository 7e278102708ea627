import { expect, test } from 'vitest'
import { unrecognizedFormats } from './unrecognized-formats.ts'

test('only unknown formats are reported, at any depth', () => {
  expect(
    unrecognizedFormats({
      type: 'object',
      properties: {
        a: { type: 'string', format: 'date-time' },
        b: { type: 'string', format: 'odd' },
        c: { type: 'array', items: { type: 'integer', format: 'int16' } },
        d: { type: 'number', format: 'double' },
        e: { type: 'object', additionalProperties: { type: 'boolean', format: 'binary' } },
        f: { type: 'integer', format: 'int64', anyOf: [{ format: 'strange' }] },
      },
    }),
  ).toEqual(['odd', 'int16', 'binary', 'strange'])
})
