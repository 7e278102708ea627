import { narrowings } from '@agents/chart-tools'
import type { Json, Schema } from '@agents/crd'
import { describe, expect, test } from 'vitest'
import { within, written } from './schema-writes.ts'

const text: Schema = { type: 'string' }
const count: Schema = { type: 'integer' }
const texts: Schema = { type: 'array', items: text }
const map: Schema = { type: 'object', additionalProperties: text }

interface Change {
  readonly because: string
  readonly before: Schema
  readonly after: Schema
  readonly path: string
  /** Valid before, and rejected, pruned or defaulted differently afterwards. */
  readonly witness: Json
  /** The old value, for a transition rule. */
  readonly old?: Json
  /** Whether the reverse change is incompatible too. */
  readonly isBothWays?: true
}

function rule(expression: string, message = 'no'): Schema {
  return {
    'x-kubernetes-validations': [{ rule: expression, message }],
  }
}

const changes: readonly Change[] = [
  {
    because: 'a rule is new',
    before: within({ ...text, maxLength: 9 }),
    after: within({ ...text, maxLength: 9, ...rule("self != 'a'") }),
    path: ".x#rule self != 'a'",
    witness: { x: 'a' },
  },
  {
    because: 'a rule changes',
    before: within({ ...count, ...rule('self > 1') }),
    after: within({ ...count, ...rule('self > 2') }),
    path: '.x#rule self > 2',
    witness: { x: 2 },
    isBothWays: true,
  },
  {
    because: 'a rule forbids a change that was allowed',
    before: within(count),
    after: within({ ...count, ...rule('self == oldSelf') }),
    path: '.x#rule self == oldSelf',
    witness: { x: 2 },
    old: { x: 1 },
  },
  {
    because: 'a pattern is new',
    before: within(text),
    after: within({ ...text, pattern: '^b' }),
    path: '.x#pattern',
    witness: { x: 'a' },
  },
  {
    because: 'a pattern changes',
    before: within({ ...text, pattern: '^[ab]' }),
    after: within({ ...text, pattern: '^b' }),
    path: '.x#pattern',
    witness: { x: 'a' },
    isBothWays: true,
  },
  {
    because: 'an enumeration replaces free text',
    before: within(text),
    after: within({ ...text, enum: ['b'] }),
    path: '.x#enum',
    witness: { x: 'a' },
  },
  {
    because: 'an enumeration gets smaller',
    before: within({ ...text, enum: ['a', 'b'] }),
    after: within({ ...text, enum: ['b'] }),
    path: '.x#enum',
    witness: { x: 'a' },
  },
  {
    because: 'a minimum increases',
    before: within({ ...count, minimum: 1 }),
    after: within({ ...count, minimum: 2 }),
    path: '.x#minimum',
    witness: { x: 1 },
  },
  {
    because: 'a minimum is new',
    before: within(count),
    after: within({ ...count, minimum: 0 }),
    path: '.x#minimum',
    witness: { x: -1 },
  },
  {
    because: 'a maximum decreases',
    before: within({ ...count, maximum: 9 }),
    after: within({ ...count, maximum: 8 }),
    path: '.x#maximum',
    witness: { x: 9 },
  },
  {
    because: 'a maximum becomes exclusive',
    before: within({ ...count, maximum: 9 }),
    after: within({ ...count, maximum: 9, exclusiveMaximum: true }),
    path: '.x#exclusiveMaximum',
    witness: { x: 9 },
  },
  {
    because: 'a number must be a multiple',
    before: within(count),
    after: within({ ...count, multipleOf: 2 }),
    path: '.x#multipleOf',
    witness: { x: 3 },
  },
  {
    because: 'a maximum length decreases',
    before: within({ ...text, maxLength: 3 }),
    after: within({ ...text, maxLength: 2 }),
    path: '.x#maxLength',
    witness: { x: 'abc' },
  },
  {
    because: 'a text must not be empty',
    before: within(text),
    after: within({ ...text, minLength: 1 }),
    path: '.x#minLength',
    witness: { x: '' },
  },
  {
    because: 'a list must be shorter',
    before: within(texts),
    after: within({ ...texts, maxItems: 1 }),
    path: '.x#maxItems',
    witness: { x: ['a', 'b'] },
  },
  {
    because: 'a list must not be empty',
    before: within(texts),
    after: within({ ...texts, minItems: 1 }),
    path: '.x#minItems',
    witness: { x: [] },
  },
  {
    because: 'a map must be smaller',
    before: within(map),
    after: within({ ...map, maxProperties: 1 }),
    path: '.x#maxProperties',
    witness: { x: { a: '1', b: '2' } },
  },
  {
    because: 'list entries must be unique',
    before: within(texts),
    after: within({ ...texts, 'x-kubernetes-list-type': 'set' }),
    path: '.x#x-kubernetes-list-type',
    witness: { x: ['a', 'a'] },
    isBothWays: true,
  },
  {
    because: 'a format is new',
    before: within(text),
    after: within({ ...text, format: 'date-time' }),
    path: '.x#format',
    witness: { x: 'yesterday' },
  },
  {
    because: 'a field becomes required',
    before: within(text),
    after: within(text, { required: ['x'] }),
    path: '.x#required',
    witness: {},
  },
  {
    because: 'a new field is required',
    before: within(text),
    after: { type: 'object', properties: { x: text, y: text }, required: ['y'] },
    path: '.y#required',
    witness: { x: 'a' },
    isBothWays: true,
  },
  {
    because: 'a field is removed',
    before: within(text),
    after: { type: 'object', properties: {} },
    path: '.x',
    witness: { x: 'a' },
  },
  {
    because: 'a field of list entries is removed',
    before: within({ type: 'array', items: within(text) }),
    after: within({ type: 'array', items: { type: 'object' } }),
    path: '.x[].x',
    witness: { x: [{ x: 'a' }] },
  },
  {
    because: 'custom keys are no longer accepted',
    before: within(map),
    after: within({ type: 'object' }),
    path: '.x.*',
    witness: { x: { a: 'b' } },
  },
  {
    because: 'unknown fields are no longer preserved',
    before: within({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }),
    after: within({ type: 'object' }),
    path: '.x.*',
    witness: { x: { a: 'b' } },
  },
  {
    because: 'an unknown key gets a type',
    before: within({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }),
    after: within({
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: { a: text },
    }),
    path: '.x.a',
    witness: { x: { a: 1 } },
  },
  {
    because: 'the type changes',
    before: within(count),
    after: within(text),
    path: '.x',
    witness: { x: 1 },
    isBothWays: true,
  },
  {
    because: 'fractions are no longer accepted',
    before: within({ type: 'number' }),
    after: within(count),
    path: '.x',
    witness: { x: 1.5 },
  },
  {
    because: 'a number may no longer be written as text',
    before: within({ 'x-kubernetes-int-or-string': true }),
    after: within(count),
    path: '.x',
    witness: { x: '10%' },
  },
  {
    because: 'null is no longer a value',
    before: within({ ...text, nullable: true }),
    after: within(text),
    path: '.x',
    witness: { x: null },
  },
  {
    because: 'a default changes',
    before: within({ ...count, default: 1 }),
    after: within({ ...count, default: 2 }),
    path: '.x#default',
    witness: {},
    isBothWays: true,
  },
  {
    because: 'a default is new',
    before: within(count),
    after: within({ ...count, default: 2 }),
    path: '.x#default',
    witness: {},
    isBothWays: true,
  },
  {
    because: 'a condition is new',
    before: within(count),
    after: within({ ...count, not: { enum: [1] } }),
    path: '.x#not',
    witness: { x: 1 },
  },
  {
    because: 'an alternative is removed',
    before: within({ ...text, anyOf: [{ enum: ['a'] }, { enum: ['b'] }] }),
    after: within({ ...text, anyOf: [{ enum: ['b'] }] }),
    path: '.x#anyOf',
    witness: { x: 'a' },
  },
]

describe('a schema that accepts less', () => {
  test.each(changes)('is reported: $because', ({ before, after, path, witness, old }) => {
    expect(narrowings(before, after, 'definition').map((found) => found.path)).toEqual([path])
    const then = written(before, witness, old)
    expect(then.errors).toEqual([])
    const now = written(after, witness, old)
    expect(now.errors.length > 0 || JSON.stringify(now) !== JSON.stringify(then)).toBe(true)
  })

  test.each(changes)('is compatible in reverse unless marked otherwise: $because', (change) => {
    const back = narrowings(change.after, change.before, 'definition')
    expect(back.length > 0).toBe(change.isBothWays === true)
  })
})

describe('a schema that accepts as much', () => {
  test.each<{ because: string; before: Schema; after: Schema }>([
    {
      because: 'a rule differs only in its message and whitespace',
      before: within({ ...count, ...rule('self > 1') }),
      after: within({ ...count, ...rule(' self >\n 1 ', 'more than one') }),
    },
    {
      because: 'rules are in another order',
      before: within({
        ...count,
        'x-kubernetes-validations': [{ rule: 'self > 1' }, { rule: 'self < 9' }],
      }),
      after: within({
        ...count,
        'x-kubernetes-validations': [{ rule: 'self < 9' }, { rule: 'self > 1' }],
      }),
    },
    {
      because: 'a required field has a default',
      before: within(text),
      after: {
        type: 'object',
        required: ['y'],
        properties: { x: text, y: { ...text, default: 'a' } },
      },
    },
    {
      because: 'a field is new, with its own required fields and rules',
      before: within(text),
      after: {
        type: 'object',
        properties: { x: text, y: within(text, { required: ['x'], ...rule('has(self.x)') }) },
      },
    },
    {
      because: 'an integer format gets larger',
      before: within({ ...count, format: 'int32' }),
      after: within({ ...count, format: 'int64' }),
    },
    {
      because: 'a minimum length is zero',
      before: within(text),
      after: within({ ...text, minLength: 0 }),
    },
    {
      because: 'a description changes',
      before: within({ ...text, description: 'a' }),
      after: within({ ...text, description: 'b' }),
    },
  ])('is left alone: $because', ({ before, after }) => {
    expect(narrowings(before, after, 'definition')).toEqual([])
  })
})
