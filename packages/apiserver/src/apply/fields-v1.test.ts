import type { Json } from '@agents/crd'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { pathsOf, setOf } from './field-set.ts'
import { decodeFields, encodeFields } from './fields-v1.ts'
import {
  displayPath,
  fieldElement,
  keyElement,
  type PathElement,
  valueElement,
} from './path-element.ts'

const name = fc.constantFrom('a', 'b', 'c', '.', '__proto__', '0')
const element: fc.Arbitrary<PathElement> = fc.oneof(
  name.map(fieldElement),
  fc
    .dictionary(name, fc.oneof(name, fc.integer({ min: 0, max: 20 })), { minKeys: 1 })
    .map(keyElement),
  fc
    .oneof<fc.Arbitrary<Json>[]>(name, fc.integer({ min: 0, max: 20 }), fc.boolean())
    .map(valueElement),
  fc.nat(20).map((index) => `i:${index}`),
)
const set = fc
  .array(fc.array(element, { minLength: 1, maxLength: 4 }), { maxLength: 8 })
  .map((paths) => setOf(...paths))

describe('the wire form of field sets', () => {
  test('decodes to the encoded set', () => {
    fc.assert(
      fc.property(set, (fields) => {
        const wire = JSON.parse(JSON.stringify(encodeFields(fields)))
        expect(decodeFields(wire)).toEqual(fields)
      }),
    )
  })

  test('does not depend on the order of insertions', () => {
    fc.assert(
      fc.property(set, (fields) => {
        const again = setOf(...pathsOf(fields).toReversed())
        expect(JSON.stringify(encodeFields(again))).toBe(JSON.stringify(encodeFields(fields)))
      }),
    )
  })

  test('has fields before keys before values, each in order, and the path itself first', () => {
    const fields = setOf(
      ['v:"x"'],
      ['v:10'],
      ['v:9'],
      ['k:{"port":10}'],
      ['k:{"port":9}'],
      ['f:b', 'f:c'],
      ['f:b'],
      ['f:a', 'f:d'],
    )
    expect(JSON.stringify(encodeFields(fields))).toBe(
      '{"f:a":{"f:d":{}},"f:b":{".":{},"f:c":{}},"k:{\\"port\\":9}":{},"k:{\\"port\\":10}":{},"v:9":{},"v:10":{},"v:\\"x\\"":{}}',
    )
  })

  const odd: readonly { because: string; wire: Json; paths: string[] }[] = [
    {
      because: 'keys are read in any order and with blanks',
      wire: { 'k:{ "b":1, "a":"x"}': {} },
      paths: ['[a="x",b=1]'],
    },
    {
      because: 'elements of a future kind are skipped',
      wire: { 'z:1': {}, 'f:a': {} },
      paths: ['.a'],
    },
    {
      because: 'a path whose children are all skipped is a member',
      wire: { 'f:a': { 'z:1': {} } },
      paths: ['.a'],
    },
    { because: 'null is an empty object', wire: { 'f:a': null }, paths: ['.a'] },
  ]
  test.each(odd)('$because', ({ wire, paths }) => {
    expect(pathsOf(decodeFields(wire)).map(displayPath)).toEqual(paths)
  })

  const broken: readonly { because: string; wire: Json }[] = [
    { because: 'an element has no kind', wire: { name: {} } },
    { because: 'an element has one character', wire: { f: {} } },
    { because: 'a key is not an object', wire: { 'k:1': {} } },
    { because: 'a value is not JSON', wire: { 'v:x': {} } },
    { because: 'an index is not a number', wire: { 'i:x': {} } },
    { because: 'the children of an element are not an object', wire: { 'f:a': 1 } },
  ]
  test.each(broken)('is rejected: $because', ({ wire }) => {
    expect(() => decodeFields(wire)).toThrow(SyntaxError)
  })
})
