import { describe, expect, test } from 'vitest'
import type { Json, Schema } from '../../schema/schema.ts'
import { integer, object, resource, ruleErrors, text } from './testing/ruled-schema.ts'

describe('the fields of an object that expressions can access', () => {
  const anything: Schema = { 'x-kubernetes-preserve-unknown-fields': true }
  const spec: Schema = object({
    text,
    integer,
    number: { type: 'number' },
    flag: { type: 'boolean' },
    moment: { type: 'string', format: 'date-time' },
    day: { type: 'string', format: 'date' },
    span: { type: 'string', format: 'duration' },
    blob: { type: 'string', format: 'byte' },
    either: { 'x-kubernetes-int-or-string': true },
    nothing: { type: 'string', nullable: true },
    list: { type: 'array', items: { type: 'string', nullable: true } },
    map: { type: 'object', additionalProperties: integer },
    set: { type: 'array', items: integer, 'x-kubernetes-list-type': 'set' },
    entries: {
      type: 'array',
      items: object({ k: text, v: integer }),
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
    },
    'dash-dot.slash/x': text,
    a__b: text,
    if: text,
    embedded: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: {} },
    anything,
  })
  const value: Json = {
    text: 'é😀',
    integer: 9007199254740993n,
    number: 1,
    flag: true,
    moment: '2020-01-01T00:00:00Z',
    day: '2020-01-01',
    span: '1 day 2h',
    blob: 'aGk=',
    either: 5,
    nothing: null,
    list: ['a', null],
    map: { 'x.y': 1, __proto__: 2 },
    set: [1, 2],
    entries: [
      { k: 'a', v: 1 },
      { k: 'b', v: 2 },
    ],
    'dash-dot.slash/x': 'escaped',
    a__b: 'underscores',
    if: 'reserved',
    embedded: { kind: 'Pod', metadata: { name: 'pod' } },
    anything: { deep: [1] },
  }

  test.each([
    ['self.text.size() == 2', 'text is counted in code points'],
    ['self.integer == 9007199254740993', 'integers keep all their digits'],
    ['self.number == 1.0', 'a number is a double, also when it has no fraction'],
    [
      "self.moment == timestamp('2020-01-01T00:00:00Z') && self.day == self.moment",
      'date and date-time are timestamps',
    ],
    ["self.span == duration('26h')", 'durations may be written in words'],
    ["self.blob == b'hi'", 'byte is decoded'],
    ['type(self.either) == int && self.either < 6', 'int-or-string has the type of its value'],
    ['!has(self.nothing)', 'a field that is null is absent'],
    ["self.list[0] == 'a' && dyn(self.list[1]) == null", 'an item that is null is null'],
    [
      "self.map['x.y'] == 1 && 'x.y' in self.map && self.map.all(k, self.map[k] > 0)",
      'maps are walked by key',
    ],
    [
      'self.set == [2, 1] && self.set + [2, 3] == [1, 2, 3]',
      'sets have no order, and join without repeating',
    ],
    ["self.entries.exists(e, e.k == 'b' && e.v == 2)", 'objects in lists have fields'],
    ['self.entries + self.entries == self.entries', 'lists of type map join by key'],
    [
      "self.dash__dash__dot__dot__slash__slash__x == 'escaped'",
      'names that are no identifiers are escaped',
    ],
    ["self.a__underscores__b == 'underscores'", 'so are double underscores'],
    [
      "self.__if__ == 'reserved' && self.if == 'reserved'",
      'reserved words may be, and need not be',
    ],
    [
      "self.embedded.metadata.name == 'pod' && self.embedded.kind == 'Pod' && !has(self.embedded.metadata.generateName)",
      'an embedded resource has a name',
    ],
    ['self == self', 'fields without a type count in comparisons'],
  ])('%s', (rule, because) => {
    expect(
      ruleErrors(resource({ ...spec, 'x-kubernetes-validations': [{ rule }] }), { spec: value }),
      because,
    ).toEqual([])
  })

  test('a field without a type is not accessible', () => {
    expect(
      ruleErrors(
        resource({ ...spec, 'x-kubernetes-validations': [{ rule: 'has(self.anything)' }] }),
        { spec: value },
      ),
    ).toEqual([
      `spec: Invalid value: "object": rule compile error: compilation failed: ERROR: <input>:1:4: undefined field 'anything'\n | has(self.anything)\n | ...^`,
    ])
  })

  test('the root has apiVersion, kind and the names in metadata', () => {
    const schema = object(
      { spec: object({}) },
      "self.kind == 'Thing' && self.apiVersion == 'v1' && self.metadata.name.startsWith('a')",
    )
    const thing = { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'abc', labels: {} } }
    expect(ruleErrors(schema, thing)).toEqual([])
    expect(
      ruleErrors(
        { ...schema, 'x-kubernetes-validations': [{ rule: 'has(self.metadata.labels)' }] },
        thing,
      ),
    ).toHaveLength(1)
  })
})
