import { describe, expect, test } from 'vitest'
import { formatFieldError } from '../field-error.ts'
import type { Json, Schema, ValidationRule } from '../schema.ts'
import { compileRules } from './rules.ts'

const text: Schema = { type: 'string' }
const integer: Schema = { type: 'integer' }

function withRule(schema: Schema, ...rules: (string | ValidationRule)[]): Schema {
  const validations = rules.map((rule) => (typeof rule === 'string' ? { rule } : rule))
  return { ...schema, 'x-kubernetes-validations': validations }
}

function object(properties: Record<string, Schema>, ...rules: (string | ValidationRule)[]): Schema {
  return withRule({ type: 'object', properties }, ...rules)
}

function resource(spec: Schema): Schema {
  return { type: 'object', properties: { spec } }
}

function complaints(schema: Schema, value: Json, old?: Json, budget?: number): string[] {
  const rules = compileRules(schema)
  if (rules === undefined) throw new Error('the schema has no rules')
  return rules.validate(value, old, budget === undefined ? {} : { budget }).map(formatFieldError)
}

test('a schema without rules compiles to nothing', () => {
  expect(compileRules(resource(object({ a: text })))).toBeUndefined()
})

describe('what expressions see of an object', () => {
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
    ['type(self.either) == int && self.either < 6', 'int-or-string is what it is'],
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
    ['self == self', 'what has no type still takes part in comparisons'],
  ])('%s', (rule, because) => {
    expect(
      complaints(resource({ ...spec, 'x-kubernetes-validations': [{ rule }] }), { spec: value }),
      because,
    ).toEqual([])
  })

  test('a field without a type is not there for them', () => {
    expect(
      complaints(
        resource({ ...spec, 'x-kubernetes-validations': [{ rule: 'has(self.anything)' }] }),
        { spec: value },
      ),
    ).toEqual([
      `spec: Invalid value: "object": rule compile error: compilation failed: ERROR: <input>:1:4: undefined field 'anything'\n | has(self.anything)\n | ...^`,
    ])
  })

  test('at the root there are apiVersion, kind and the names in metadata', () => {
    const schema = object(
      { spec: object({}) },
      "self.kind == 'Thing' && self.apiVersion == 'v1' && self.metadata.name.startsWith('a')",
    )
    const thing = { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'abc', labels: {} } }
    expect(complaints(schema, thing)).toEqual([])
    expect(
      complaints(
        { ...schema, 'x-kubernetes-validations': [{ rule: 'has(self.metadata.labels)' }] },
        thing,
      ),
    ).toHaveLength(1)
  })
})

describe('a rule that does not hold', () => {
  test.each<[ValidationRule, Schema, Json, string, string]>([
    [
      { rule: 'self > 5' },
      integer,
      3,
      'spec.x: Invalid value: 3: failed rule: self > 5',
      'shows the value',
    ],
    [
      { rule: 'self.size() > 5' },
      text,
      'a"b',
      'spec.x: Invalid value: "a\\"b": failed rule: self.size() > 5',
      'quotes text',
    ],
    [
      { rule: 'self > 5.0' },
      { type: 'number' },
      1.5,
      'spec.x: Invalid value: 1.5: failed rule: self > 5.0',
      'shows doubles',
    ],
    [
      { rule: ' self.y > 5 ' },
      object({ y: integer }),
      { y: 1 },
      'spec.x: Invalid value: failed rule: self.y > 5',
      'leaves objects out',
    ],
    [
      { rule: 'self.size() > 5' },
      { type: 'array', items: text },
      ['a'],
      'spec.x: Invalid value: failed rule: self.size() > 5',
      'and arrays',
    ],
    [
      { rule: 'self > 5', message: ' more than five ' },
      integer,
      3,
      'spec.x: Invalid value: 3: more than five',
      'says its message',
    ],
    [
      { rule: 'self > 5', message: 'no', messageExpression: "'not ' + string(self)" },
      integer,
      3,
      'spec.x: Invalid value: 3: not 3',
      'or what its expression makes',
    ],
    [
      { rule: 'self > 5', message: 'fallback', messageExpression: 'string(1 / (self - 3))' },
      integer,
      3,
      'spec.x: Invalid value: 3: fallback',
      'unless that fails',
    ],
    [
      { rule: 'self > 5', message: 'fallback', messageExpression: "'a\\nb'" },
      integer,
      3,
      'spec.x: Invalid value: 3: fallback',
      'or has two lines',
    ],
    [
      { rule: 'self > 5', messageExpression: "'  '" },
      integer,
      3,
      'spec.x: Invalid value: 3: failed rule: self > 5',
      'or none',
    ],
    [
      {
        rule: 'self > 5',
        messageExpression: `[1, 2, 3, 4, 5, 6, 7, 8].map(x, '${'a'.repeat(700)}').join()`,
      },
      integer,
      3,
      'spec.x: Invalid value: 3: failed rule: self > 5',
      'or is too long',
    ],
    [
      { rule: 'self > 5', reason: 'FieldValueForbidden', message: 'm' },
      integer,
      3,
      'spec.x: Forbidden: m',
      'has the reason it was given',
    ],
    [
      { rule: 'self > 5', reason: 'FieldValueRequired', message: 'm' },
      integer,
      3,
      'spec.x: Required value: m',
      'each in its words',
    ],
    [
      { rule: 'self > 5', reason: 'FieldValueDuplicate', message: 'm' },
      integer,
      3,
      'spec.x: Duplicate value: 3',
      'a duplicate has no details',
    ],
    [
      { rule: 'self.y > 5', fieldPath: '.y' },
      object({ y: integer }),
      { y: 1 },
      'spec.x.y: Invalid value: failed rule: self.y > 5',
      'may point at a field below',
    ],
    [
      { rule: 'false', fieldPath: "['y'].z" },
      object({ y: object({ z: integer }) }),
      { y: {} },
      'spec.x.y.z: Invalid value: failed rule: false',
      'in either notation',
    ],
    [
      { rule: 'false', fieldPath: ".y['a.b']" },
      object({ y: { type: 'object', additionalProperties: integer } }),
      {},
      'spec.x.y[a.b]: Invalid value: failed rule: false',
      'also into maps',
    ],
    [
      { rule: 'self.y > 5', message: 'm' },
      object({ y: integer }),
      {},
      'spec.x: Invalid value: "object": no such key: y evaluating rule: m',
      'reports what went wrong at run time',
    ],
    [
      { rule: 'self.y < 5' },
      object({ y: { 'x-kubernetes-int-or-string': true } }),
      { y: 'a' },
      `spec.x: Invalid value: "object": 'no such overload': call arguments did not match a supported operator, function or macro signature for rule: self.y < 5`,
      'explains what types could not',
    ],
    [
      { rule: "self.y == 'a'" },
      object({ y: text }),
      { y: 1 },
      'spec.x: Invalid value: "object": invalid data, expected string, got int64 evaluating rule: self.y == \'a\'',
      'reports values that do not fit their schema',
    ],
  ])('%j', (rule, schema, value, expected, because) => {
    const spec = resource(object({ x: withRule(schema, rule) }))
    expect(complaints(spec, { spec: { x: value } }), because).toEqual([expected])
  })

  test('is found at every level: objects, maps, lists and scalars', () => {
    const schema = resource(
      object(
        {
          list: { type: 'array', items: withRule(text, "self != 'bad'") },
          map: { type: 'object', additionalProperties: withRule(integer, 'self > 0') },
          nullable: withRule({ type: 'string', nullable: true }, 'false'),
        },
        'self.list.size() < 2',
      ),
    )
    const spec = { list: ['good', 'bad'], map: { 'a.b': 0 }, nullable: null }
    expect(complaints(schema, { spec })).toEqual([
      'spec: Invalid value: failed rule: self.list.size() < 2',
      `spec.list[1]: Invalid value: "bad": failed rule: self != 'bad'`,
      'spec.map[a.b]: Invalid value: 0: failed rule: self > 0',
    ])
  })

  test('is found in allOf, with the types of the schema around it', () => {
    const schema = resource({
      ...object({ a: text }),
      allOf: [withRule({ properties: { a: withRule({}, "self != 'x'") } }, "self.a != 'x'")],
    })
    expect(complaints(schema, { spec: { a: 'x' } })).toEqual([
      `spec: Invalid value: failed rule: self.a != 'x'`,
      `spec.a: Invalid value: "x": failed rule: self != 'x'`,
    ])
  })
})

describe('transition rules', () => {
  const entries: Schema = {
    type: 'array',
    items: object({ k: text, v: withRule(integer, 'self >= oldSelf') }),
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['k'],
  }
  const map: Schema = {
    type: 'object',
    additionalProperties: withRule(integer, 'self >= oldSelf'),
  }
  const atomic: Schema = { type: 'array', items: withRule(integer, 'self >= oldSelf') }

  test.each<[Schema, Json, Json | undefined, string[], string]>([
    [
      withRule(integer, 'self >= oldSelf'),
      1,
      undefined,
      [],
      'do not run when an object is created',
    ],
    [
      withRule(integer, 'self >= oldSelf'),
      1,
      2,
      ['spec: Invalid value: 1: failed rule: self >= oldSelf'],
      'compare with the old value',
    ],
    [
      object({ a: withRule(integer, 'self >= oldSelf') }),
      { a: 1 },
      {},
      [],
      'do not run for a field that is new',
    ],
    [
      map,
      { a: 1, b: 1 },
      { a: 2 },
      ['spec[a]: Invalid value: 1: failed rule: self >= oldSelf'],
      'find the entries of maps by key',
    ],
    [
      entries,
      [
        { k: 'b', v: 1 },
        { k: 'a', v: 1 },
      ],
      [
        { k: 'a', v: 2 },
        { k: 'b', v: 0 },
      ],
      ['spec[1].v: Invalid value: 1: failed rule: self >= oldSelf'],
      'find the items of map lists by key',
    ],
    [atomic, [1], [2], [], 'do not run for items that cannot be told apart'],
    [
      withRule(integer, { rule: 'oldSelf.hasValue() || self > 5', optionalOldSelf: true }),
      1,
      undefined,
      ['spec: Invalid value: 1: failed rule: oldSelf.hasValue() || self > 5'],
      'run without an old value if they take it as optional',
    ],
    [
      withRule(integer, {
        rule: 'oldSelf.optMap(o, o <= self).orValue(true)',
        optionalOldSelf: true,
      }),
      1,
      2,
      ['spec: Invalid value: 1: failed rule: oldSelf.optMap(o, o <= self).orValue(true)'],
      'and find it there when there is one',
    ],
  ])('%#: %j', (schema, value, old, expected, because) => {
    const before = old === undefined ? undefined : { spec: old }
    expect(complaints(resource(schema), { spec: value }, before), because).toEqual(expected)
  })
})

describe('on update a value that did not change is not complained about', () => {
  const bad = withRule(text, "self != 'bad'")
  const list = (extra: Partial<Schema>): Schema => ({ type: 'array', items: bad, ...extra })
  const failed = (path: string) => `${path}: Invalid value: "bad": failed rule: self != 'bad'`

  test.each<[Schema, Json, Json, string[], string]>([
    [
      object({ a: bad, b: text }),
      { a: 'bad', b: 'new' },
      { a: 'bad', b: 'old' },
      [],
      'the field is the same',
    ],
    [object({ a: bad }), { a: 'bad' }, { a: 'good' }, [failed('spec.a')], 'the field is another'],
    [object({ a: bad }), { a: 'bad' }, {}, [failed('spec.a')], 'the field is new'],
    [list({}), ['bad'], ['bad'], [], 'the whole list is the same'],
    [
      list({}),
      ['bad', 'x'],
      ['bad'],
      [failed('spec[0]')],
      'items of an atomic list are not compared one by one',
    ],
    [
      {
        type: 'array',
        items: object({ k: text, v: bad }),
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
      },
      [
        { k: 'new', v: 'good' },
        { k: 'a', v: 'bad' },
      ],
      [{ k: 'a', v: 'bad' }],
      [],
      'items of a map list are',
    ],
    [
      object({ a: text }, "self.a != 'bad'"),
      { a: 'bad' },
      { a: 'bad' },
      [],
      'the object is the same',
    ],
    [
      withRule(text, { rule: "self != 'bad' || oldSelf == ''" }),
      'bad',
      'bad',
      [`spec: Invalid value: "bad": failed rule: self != 'bad' || oldSelf == ''`],
      'transition rules always count',
    ],
  ])('%#: %j', (schema, value, old, expected, because) => {
    expect(complaints(resource(schema), { spec: value }, { spec: old }), because).toEqual(expected)
  })
})

describe('the cost of rules', () => {
  const numbers = Array.from({ length: 1000 }, (_item, index) => index)
  const list = (...rules: string[]): Schema => withRule({ type: 'array', items: integer }, ...rules)

  test('stops an expression that is too expensive, and all after it', () => {
    const rule = 'self.all(x, self.all(y, x + y >= 0))'
    expect(complaints(resource(list(rule, 'false')), { spec: numbers })).toEqual([
      `spec: Invalid value: "array": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ${rule}`,
    ])
  })

  test('stops when the budget of the object is used up', () => {
    const rule = 'self.all(x, x >= 0)'
    expect(
      complaints(resource(list(rule, rule, 'false')), { spec: numbers }, undefined, 9000),
    ).toEqual([
      'spec: Invalid value: "array": validation failed due to running out of cost budget, no further validation rules will be run',
    ])
    expect(complaints(resource(list(rule)), { spec: numbers }, undefined, 9000)).toEqual([])
  })

  test('of a message counts too', () => {
    const rule = { rule: 'false', messageExpression: 'self.map(x, string(x)).join()' }
    const schema = withRule({ type: 'array', items: integer }, rule)
    expect(complaints(resource(schema), { spec: numbers }, undefined, 1000)).toEqual([
      'spec: Invalid value: "array": messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run',
    ])
  })
})

test('the path given is where the errors start', () => {
  const rules = compileRules(withRule(integer, 'false'), { resourceRoot: false })
  expect(rules?.validate(1, undefined, { path: 'items[3]' }).map(formatFieldError)).toEqual([
    'items[3]: Invalid value: 1: failed rule: false',
  ])
})

test('the old and the new object are left as they were', () => {
  const schema = resource(
    withRule(
      { type: 'array', items: integer, 'x-kubernetes-list-type': 'set' },
      'self + oldSelf == self',
    ),
  )
  const [value, old] = [{ spec: [1] }, { spec: [2] }]
  complaints(schema, value, old)
  expect([value, old]).toEqual([{ spec: [1] }, { spec: [2] }])
})
