import { describe, expect, test } from 'vitest'
import { formatFieldError } from '../../field-error/field-error.ts'
import type { Schema, ValidationRule } from '../../schema/schema.ts'
import { checkRules } from './check-rules.ts'

const text: Schema = { type: 'string' }

function complaints(schema: Schema): string[] {
  return checkRules(schema, 'schema').map(formatFieldError)
}

function withSpec(spec: Schema): Schema {
  return { type: 'object', properties: { spec } }
}

/** The rule as upstream shows it, in the field names of its internal type. */
function formatted(rule: Partial<ValidationRule>): string {
  return JSON.stringify({
    Rule: rule.rule,
    Message: rule.message ?? '',
    MessageExpression: rule.messageExpression ?? '',
    Reason: null,
    FieldPath: '',
    OptionalOldSelf: null,
  })
}

describe('one rule on an object with a field a', () => {
  const at = 'schema.properties[spec].x-kubernetes-validations[0]'
  test.each<[Record<string, unknown> & { rule: string }, string[], string]>([
    [{ rule: "self.a == 'x'" }, [], 'nothing is wrong'],
    [
      { rule: 'self.b == 1' },
      [
        `rule: Invalid value: ${formatted({ rule: 'self.b == 1' })}: compilation failed: ERROR: <input>:1:5: undefined field 'b'\n | self.b == 1\n | ....^`,
      ],
      'there is no such field',
    ],
    [
      { rule: 'self.a' },
      [
        `rule: Invalid value: ${formatted({ rule: 'self.a' })}: cel expression must evaluate to a bool`,
      ],
      'a rule holds or does not',
    ],
    [
      { rule: "int('abc') == 1" },
      [
        `rule: Invalid value: ${formatted({ rule: "int('abc') == 1" })}: program instantiation failed: type conversion error from 'string' to 'int'`,
      ],
      'a constant cannot be evaluated',
    ],
    [{ rule: ' ' }, ['rule: Required value: rule is not specified'], 'a rule is needed'],
    [
      { rule: 'true', message: '  ' },
      ['message: Invalid value: "  ": must be non-empty if specified'],
      'a message says something',
    ],
    [
      { rule: 'true', message: 'a\nb' },
      ['message: Invalid value: "a\\nb": must not contain line breaks'],
      'in one line',
    ],
    [
      { rule: 'true\n&& true' },
      ['message: Required value: message must be specified if rule contains line breaks'],
      'because the rule would stand in its place',
    ],
    [
      { rule: 'true', messageExpression: ' ' },
      ['messageExpression: Required value: messageExpression must be non-empty if specified'],
      'an expression is one',
    ],
    [
      { rule: 'true', messageExpression: '1' },
      [
        `messageExpression: Invalid value: ${formatted({ rule: 'true', messageExpression: '1' })}: messageExpression must evaluate to a string`,
      ],
      'and makes text',
    ],
    [
      { rule: 'true', messageExpression: 'self.x' },
      [
        `messageExpression: Invalid value: ${formatted({ rule: 'true', messageExpression: 'self.x' })}: messageExpression compilation failed: ERROR: <input>:1:5: undefined field 'x'\n | self.x\n | ....^`,
      ],
      'of what is there',
    ],
    [
      { rule: 'true', reason: 'Foo' },
      [
        'reason: Unsupported value: "Foo": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"',
      ],
      'there are four reasons',
    ],
    [
      { rule: 'true', fieldPath: '.b' },
      ['fieldPath: Invalid value: ".b": must be a valid path'],
      'a path leads to a field',
    ],
    [
      { rule: 'true', fieldPath: ' ' },
      [
        'fieldPath: Invalid value: " ": must be non-empty if specified',
        'fieldPath: Invalid value: " ": must be a valid path',
      ],
      'a blank path is invalid',
    ],
    [{ rule: 'true', fieldPath: '.a' }, [], 'this one does lead somewhere'],
    [{ rule: 'self == oldSelf' }, [], 'an object is there before and after'],
    [
      { rule: 'true', optionalOldSelf: true },
      ['optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule'],
      'an unnecessary option',
    ],
    [{ rule: 'oldSelf.hasValue()', optionalOldSelf: true }, [], 'an option that is used'],
  ])('%j', (rule, expected, because) => {
    const spec: Schema = {
      type: 'object',
      properties: { a: { type: 'string', maxLength: 10 } },
      'x-kubernetes-validations': [rule as unknown as ValidationRule],
    }
    expect(complaints(withSpec(spec)), because).toEqual(
      expected.map((message) => `${at}.${message}`),
    )
  })
})

describe('oldSelf', () => {
  const items: Schema = {
    type: 'object',
    required: ['k'],
    properties: {
      k: { type: 'string', maxLength: 5 },
      v: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self >= oldSelf' }] },
    },
  }

  test('cannot be used in lists whose items cannot be correlated', () => {
    expect(complaints(withSpec({ type: 'array', items }))).toEqual([
      'schema.properties[spec].items.properties[v].x-kubernetes-validations[0].rule: Invalid value: "self >= oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within schema.properties[spec]',
    ])
  })

  test('can be used in lists of type map and in maps', () => {
    const list: Schema = {
      type: 'array',
      items,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
    }
    expect(complaints(withSpec(list))).toEqual([])
    expect(complaints(withSpec({ type: 'object', additionalProperties: items }))).toEqual([])
  })
})

describe('the estimated cost', () => {
  const hint =
    '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)'
  const rule = (source: string) => ({ 'x-kubernetes-validations': [{ rule: source }] })

  test('of a rule is limited, and bounds in the schema reduce it', () => {
    const nested = rule('self.all(x, self.all(y, x == y))')
    const unbounded: Schema = { type: 'array', items: text, ...nested }
    const at = 'schema.properties[spec].x-kubernetes-validations[0].rule'
    expect(complaints(withSpec(unbounded))).toEqual([
      `${at}: Forbidden: estimated rule cost exceeds budget by factor of more than 100x ${hint}`,
      `${at}: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema`,
      `schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x ${hint}`,
    ])
    const bounded: Schema = {
      ...unbounded,
      maxItems: 1000,
      items: { type: 'string', maxLength: 10 },
    }
    expect(complaints(withSpec(bounded))).toEqual([])
  })

  test('is multiplied by the number of values that a rule applies to', () => {
    const items: Schema = { type: 'string', maxLength: 1000, ...rule("self.matches('^[a-z]+$')") }
    const list = (maxItems: number): Schema => ({ type: 'array', maxItems, items })
    expect(complaints(withSpec(list(1000)))).toEqual([])
    expect(complaints(withSpec(list(20_000)))).toEqual([
      `schema.properties[spec].items.x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of 1.6x ${hint}`,
    ])
  })

  test('of all rules together is limited, and the most expensive are named', () => {
    const one: Schema = {
      type: 'array',
      maxItems: 1000,
      items: { type: 'string', maxLength: 1000 },
      ...rule(`self.all(x, x.matches('${'a'.repeat(59)}'))`),
    }
    const names = Array.from({ length: 30 }, (_item, index) => `f${index}`)
    const spec: Schema = {
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, one])),
    }
    const found = complaints(withSpec(spec))
    expect(found).toHaveLength(5)
    expect(found.at(-1)).toContain('exceeds budget by factor of 1.8x')
  })

  test('of a message is limited like that of a rule', () => {
    const longer =
      "self.replace('a', 'bbbbbbbbbbb').replace('b', 'cccccccccccc').replace('c', 'ddddddddddddd')"
    const spec: Schema = {
      type: 'string',
      maxLength: 100_000,
      'x-kubernetes-validations': [{ rule: 'true', messageExpression: `${longer} + self` }],
    }
    expect(complaints(withSpec(spec))).toEqual([
      `schema.properties[spec].x-kubernetes-validations[0].messageExpression: Forbidden: estimated messageExpression cost exceeds budget by factor of 8.0x ${hint}`,
    ])
  })
})

test('a rule on a field without a type is rejected', () => {
  const anything: Schema = {
    'x-kubernetes-preserve-unknown-fields': true,
    'x-kubernetes-validations': [{ rule: 'true' }],
  }
  expect(complaints(withSpec(anything))).toEqual([
    'schema.properties[spec].x-kubernetes-validations: Internal error: internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations',
  ])
})

test('expressions are not compiled if the rules are malformed', () => {
  const spec: Schema = {
    type: 'object',
    properties: { a: { ...text, 'x-kubernetes-validations': [{ rule: '' }] } },
    'x-kubernetes-validations': [{ rule: 'self.nonsense' }],
  }
  expect(complaints(withSpec(spec))).toEqual([
    'schema.properties[spec].properties[a].x-kubernetes-validations[0].rule: Required value: rule is not specified',
  ])
})
