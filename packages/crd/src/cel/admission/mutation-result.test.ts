import { describe, expect, test } from 'vitest'
import { runPolicy } from './testing/policy-run.ts'

const object = { metadata: { name: 'x' }, data: { a: 'b' }, items: [{ n: 1 }, { n: null }] }

function resultOf(source: string, result: 'applyConfiguration' | 'jsonPatch'): unknown {
  const { outcome } = runPolicy(source, { object }, {}, result)
  return outcome.kind === 'value' ? outcome.value : outcome.error
}

describe('an apply configuration', () => {
  test.each([
    ['Object{}', {}],
    [
      'Object{spec: Object.spec{replicas: 1, ratio: 0.5, on: true, tags: ["a"]}}',
      { spec: { replicas: 1, ratio: 0.5, on: true, tags: ['a'] } },
    ],
    ['Object{metadata: Object.metadata{labels: {"a": "b"}}}', { metadata: { labels: { a: 'b' } } }],
    [
      'Object{spec: Object.spec{containers: [Object.spec.containers{name: "c"}]}}',
      { spec: { containers: [{ name: 'c' }] } },
    ],
    [
      'Object{list: object.items.map(i, Object.list{n: i.n}).filter(i, i.n != null) + [Object.list{n: 2}]}',
      { list: [{ n: 1 }, { n: 2 }] },
    ],
    ['Object{?data: object.?data, ?more: object.?more}', { data: { a: 'b' } }],
    ['Object{items: object.items}', { items: [{ n: 1 }, { n: null }] }],
    ['Object{n: 9007199254740993}', { n: 9007199254740993n }],
    ['Object{__proto__: "x"}', JSON.parse('{"__proto__": "x"}')],
  ])('%s', (source, json) => {
    expect(resultOf(source, 'applyConfiguration')).toEqual(json)
  })

  test.each([
    [
      'Object{metadata: Object.spec{labels: {"a": "b"}}, data: Object.x{}}',
      `type mismatch: unexpected type name "Object.spec", expected "Object.metadata", which matches field name path from root Object type
unexpected type name "Object.x", expected "Object.data", which matches field name path from root Object type`,
    ],
    [
      'Object{spec: Object.spec{containers: [Object.spec.container{name: "c"}]}}',
      'type mismatch: unexpected type name "Object.spec.container", expected "Object.spec.containers", which matches field name path from root Object type',
    ],
    ['Object{data: {1: "x"}}', 'invalid return type: *dynamic.ObjectVal'],
    [
      'Object{data: object.missing}',
      "expression 'Object{data: object.missing}' resulted in error: no such key: missing",
    ],
  ])('%s fails', (source, error) => {
    expect(resultOf(source, 'applyConfiguration')).toBe(error)
  })

  test.each(['null', '{"a": null}', '[{"name": "c"}]', 'duration("1h")', 'b"abc"', '7u'])(
    'cannot hold %s',
    (value) => {
      expect(resultOf(`Object{data: ${value}}`, 'applyConfiguration')).toMatch(
        /^error applying patch: failed to convert patch object to typed object: \.data/,
      )
    },
  )
})

describe('a JSON patch', () => {
  test.each([
    ['"y"', 'y'],
    ['null', null],
    ['[]', []],
    ['{"a": [1, 2]}', { a: [1, 2] }],
    ['[{"name": "a"}]', [{ name: 'a' }]],
    ['object.items', [{ n: 1 }, { n: null }]],
    ['Object.spec.env{name: "a", args: ["x"]}', { name: 'a', args: ['x'] }],
    ['90071992', 90071992],
    ['9007199254740993', '9007199254740993'],
    ['duration("90m")', '5400s'],
    ['timestamp("2024-01-01T00:00:00Z")', '2024-01-01T00:00:00Z'],
    ['b"abc"', 'YWJj'],
    ['Object{a: "q"}.a', 'q'],
    ['Object{a: 1} == Object{a: 1}', true],
    ['dyn(Object{a: 1}) == Object.x{a: 1}', false],
    ['JSONPatch{op: "a"} == JSONPatch{op: "a"}', true],
    ['JSONPatch{op: "a"}.op', 'a'],
    ['jsonpatch.escapeKey("k8s.io/my~label")', 'k8s.io~1my~0label'],
  ])('can hold %s', (value, json) => {
    const source = `[JSONPatch{op: "add", path: "/x", value: ${value}}]`
    expect(resultOf(source, 'jsonPatch')).toEqual([{ op: 'add', path: '/x', value: json }])
  })

  test('has only the fields that the expression sets', () => {
    const source = `[JSONPatch{op: "move", from: "/a", path: "/b"}, JSONPatch{op: "remove", path: "/c"},
      JSONPatch{op: "add", path: "/d", ?value: object.?missing}]`
    expect(resultOf(source, 'jsonPatch')).toEqual([
      { op: 'move', from: '/a', path: '/b' },
      { op: 'remove', path: '/c' },
      { op: 'add', path: '/d' },
    ])
  })

  const unmarshalable =
    'JSONPath valueExpression evaluated to a type that could not marshal to JSON'
  test.each([
    ['int', `${unmarshalable}: type conversion not supported for 'type'`],
    ['[Object.env{}]', `${unmarshalable}: an Object cannot be converted inside a list or a map`],
    [
      'Object.metadata{labels: Object.foo{}}',
      'type mismatch: unexpected type name "Object.foo", expected "Object.metadata.labels", which matches field name path from root Object type',
    ],
  ])('cannot hold %s', (value, error) => {
    const source = `[JSONPatch{op: "add", path: "/x", value: ${value}}]`
    expect(resultOf(source, 'jsonPatch')).toBe(error)
  })

  test('has no other fields', () => {
    const source = '[JSONPatch{op: "add", foo: object.data}]'
    expect(resultOf(source, 'jsonPatch')).toBe(
      `expression '${source}' resulted in error: unexpected JSONPatchType field: foo`,
    )
  })
})

test('an object costs forty units', () => {
  expect(runPolicy('Object{spec: Object.spec{}}', {}, {}, 'applyConfiguration').cost).toBe(80)
})
