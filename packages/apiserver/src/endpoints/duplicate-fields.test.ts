import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { duplicateFields, shapeOfText } from './duplicate-fields.ts'

function find(text: string) {
  return duplicateFields(text, JSON.parse(text), shapeOfText(text))
}

describe('duplicateFields', () => {
  test.each([
    { text: '{"a":1,"a":2}', found: ['a'] },
    { text: '{"a":{"b":1,"c":"x","b":2},"a":1}', found: ['a.b', 'a'] },
    { text: '{"a":[{"b":1},{"b":1,"b":2}]}', found: ['a[1].b'] },
    { text: '{"a":"\\"a\\":1","b":{}}', found: [] },
    { text: '{ "a" : [ true , null , -1.5e3 ] , "\\u0061" : {} }', found: ['a'] },
    { text: '[]', found: [] },
    { text: '{"a":1,"b":{"a":2}}', found: [] },
    { text: '{"spec":{"c":[{"i":1},{"i":1,"i":2}]}}', found: ['spec.c[1].i'] },
    { text: '[[{"a":1,"a":1}]]', found: ['[0][0].a'] },
    { text: '{"a\\u0062":1,"ab":2}', found: ['ab'] },
    { text: '{"a":"b","b":"a","c":["a","a"]}', found: [] },
    { text: '{"a\\\\":"\\"a\\\\","x":"{\\"a\\\\"}', found: [] },
  ])('$text', ({ text, found }) => {
    expect(find(text)).toEqual(found)
  })

  test('finds none in serialized JSON', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(find(text)).toEqual([])
      }),
    )
  })
})

describe('shapeOfText', () => {
  test.each([
    { text: '1', depth: 0, keys: 0 },
    { text: '{"a":[{"b":"}]"}]}', depth: 3, keys: 2 },
    { text: '"\\\\\\"[["', depth: 0, keys: 0 },
  ])('$text', ({ text, depth, keys }) => {
    expect(shapeOfText(text)).toEqual({ depth, keys })
  })
})
