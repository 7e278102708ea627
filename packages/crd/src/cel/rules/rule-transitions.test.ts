import { describe, expect, test } from 'vitest'
import type { Json, Schema } from '../../schema/schema.ts'
import { integer, object, resource, ruleErrors, text, withRule } from './testing/ruled-schema.ts'

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
    [atomic, [1], [2], [], 'do not run for items that cannot be correlated'],
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
    expect(ruleErrors(resource(schema), { spec: value }, before), because).toEqual(expected)
  })
})

describe('on update, errors of unchanged values are omitted', () => {
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
      'items of a list of type map are compared one by one',
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
    expect(ruleErrors(resource(schema), { spec: value }, { spec: old }), because).toEqual(expected)
  })
})
