import { describe, expect, test } from 'vitest'
import { formatFieldError } from '../../field-error/field-error.ts'
import type { Json, Schema, ValidationRule } from '../../schema/schema.ts'
import { compileRules } from './rules.ts'
import { integer, object, resource, ruleErrors, text, withRule } from './testing/ruled-schema.ts'

test('a schema without rules compiles to nothing', () => {
  expect(compileRules(resource(object({ a: text })))).toBeUndefined()
})

describe('a rule that is violated', () => {
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
      'each with its message',
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
      'in bracket notation too',
    ],
    [
      { rule: 'false', fieldPath: ".y['a.b']" },
      object({ y: { type: 'object', additionalProperties: integer } }),
      {},
      'spec.x.y[a.b]: Invalid value: failed rule: false',
      'in maps too',
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
      'reports missing overloads for dynamic values',
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
    expect(ruleErrors(spec, { spec: { x: value } }), because).toEqual([expected])
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
    expect(ruleErrors(schema, { spec })).toEqual([
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
    expect(ruleErrors(schema, { spec: { a: 'x' } })).toEqual([
      `spec: Invalid value: failed rule: self.a != 'x'`,
      `spec.a: Invalid value: "x": failed rule: self != 'x'`,
    ])
  })
})

describe('the cost of rules', () => {
  const numbers = Array.from({ length: 1000 }, (_item, index) => index)
  const list = (...rules: string[]): Schema => withRule({ type: 'array', items: integer }, ...rules)

  test('stops an expression that is too expensive and all later rules', () => {
    const rule = 'self.all(x, self.all(y, x + y >= 0))'
    expect(ruleErrors(resource(list(rule, 'false')), { spec: numbers })).toEqual([
      `spec: Invalid value: "array": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ${rule}`,
    ])
  })

  test('stops when the budget of the object is exhausted', () => {
    const rule = 'self.all(x, x >= 0)'
    expect(
      ruleErrors(resource(list(rule, rule, 'false')), { spec: numbers }, undefined, 9000),
    ).toEqual([
      'spec: Invalid value: "array": validation failed due to running out of cost budget, no further validation rules will be run',
    ])
    expect(ruleErrors(resource(list(rule)), { spec: numbers }, undefined, 9000)).toEqual([])
  })

  test('includes message expressions', () => {
    const rule = { rule: 'false', messageExpression: 'self.map(x, string(x)).join()' }
    const schema = withRule({ type: 'array', items: integer }, rule)
    expect(ruleErrors(resource(schema), { spec: numbers }, undefined, 1000)).toEqual([
      'spec: Invalid value: "array": messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run',
    ])
  })
})

test('errors start with the given path', () => {
  const rules = compileRules(withRule(integer, 'false'), { resourceRoot: false })
  expect(rules?.validate(1, undefined, { path: 'items[3]' }).map(formatFieldError)).toEqual([
    'items[3]: Invalid value: 1: failed rule: false',
  ])
})

test('the old and the new object are not changed', () => {
  const schema = resource(
    withRule(
      { type: 'array', items: integer, 'x-kubernetes-list-type': 'set' },
      'self + oldSelf == self',
    ),
  )
  const [value, old] = [{ spec: [1] }, { spec: [2] }]
  ruleErrors(schema, value, old)
  expect([value, old]).toEqual([{ spec: [1] }, { spec: [2] }])
})
