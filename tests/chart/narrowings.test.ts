import type { Json, Schema } from '@agents/crd'
import { describe, expect, test } from 'vitest'
import { narrowings } from '../../scripts/chart/compat/narrowings.ts'
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
  /** Good before, and refused, cut or filled otherwise afterwards. */
  readonly witness: Json
  /** What it was, for a rule that looks back. */
  readonly old?: Json
  /** Going back is a loss too. */
  readonly isBothWays?: true
}

const rule = (expression: string, message = 'no'): Schema => ({
  'x-kubernetes-validations': [{ rule: expression, message }],
})

const changes: readonly Change[] = [
  {
    because: 'a rule is new',
    before: within({ ...text, maxLength: 9 }),
    after: within({ ...text, maxLength: 9, ...rule("self != 'a'") }),
    path: ".x#rule self != 'a'",
    witness: { x: 'a' },
  },
  {
    because: 'a rule demands something else',
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
    because: 'a pattern is another one',
    before: within({ ...text, pattern: '^[ab]' }),
    after: within({ ...text, pattern: '^b' }),
    path: '.x#pattern',
    witness: { x: 'a' },
    isBothWays: true,
  },
  {
    because: 'a choice takes the place of any text',
    before: within(text),
    after: within({ ...text, enum: ['b'] }),
    path: '.x#enum',
    witness: { x: 'a' },
  },
  {
    because: 'a choice gets smaller',
    before: within({ ...text, enum: ['a', 'b'] }),
    after: within({ ...text, enum: ['b'] }),
    path: '.x#enum',
    witness: { x: 'a' },
  },
  {
    because: 'a least value rises',
    before: within({ ...count, minimum: 1 }),
    after: within({ ...count, minimum: 2 }),
    path: '.x#minimum',
    witness: { x: 1 },
  },
  {
    because: 'a least value is new',
    before: within(count),
    after: within({ ...count, minimum: 0 }),
    path: '.x#minimum',
    witness: { x: -1 },
  },
  {
    because: 'a greatest value falls',
    before: within({ ...count, maximum: 9 }),
    after: within({ ...count, maximum: 8 }),
    path: '.x#maximum',
    witness: { x: 9 },
  },
  {
    because: 'a limit no longer belongs to what is allowed',
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
    because: 'a text must be shorter',
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
    because: 'entries of a list are told apart now',
    before: within(texts),
    after: within({ ...texts, 'x-kubernetes-list-type': 'set' }),
    path: '.x#x-kubernetes-list-type',
    witness: { x: ['a', 'a'] },
    isBothWays: true,
  },
  {
    because: 'a text must have a form',
    before: within(text),
    after: within({ ...text, format: 'date-time' }),
    path: '.x#format',
    witness: { x: 'yesterday' },
  },
  {
    because: 'a field is demanded',
    before: within(text),
    after: within(text, { required: ['x'] }),
    path: '.x#required',
    witness: {},
  },
  {
    because: 'a new field is demanded',
    before: within(text),
    after: { type: 'object', properties: { x: text, y: text }, required: ['y'] },
    path: '.y#required',
    witness: { x: 'a' },
    isBothWays: true,
  },
  {
    because: 'a field goes',
    before: within(text),
    after: { type: 'object', properties: {} },
    path: '.x',
    witness: { x: 'a' },
  },
  {
    because: 'a field of entries goes',
    before: within({ type: 'array', items: within(text) }),
    after: within({ type: 'array', items: { type: 'object' } }),
    path: '.x[].x',
    witness: { x: [{ x: 'a' }] },
  },
  {
    because: 'keys of one’s own go',
    before: within(map),
    after: within({ type: 'object' }),
    path: '.x.*',
    witness: { x: { a: 'b' } },
  },
  {
    because: 'what is not named is no longer kept',
    before: within({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }),
    after: within({ type: 'object' }),
    path: '.x.*',
    witness: { x: { a: 'b' } },
  },
  {
    because: 'a key that was free is named, and takes one type',
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
    because: 'fractions go',
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
    because: 'what an absent field stands for changes',
    before: within({ ...count, default: 1 }),
    after: within({ ...count, default: 2 }),
    path: '.x#default',
    witness: {},
    isBothWays: true,
  },
  {
    because: 'an absent field stands for something now',
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
    because: 'one of several ways goes',
    before: within({ ...text, anyOf: [{ enum: ['a'] }, { enum: ['b'] }] }),
    after: within({ ...text, anyOf: [{ enum: ['b'] }] }),
    path: '.x#anyOf',
    witness: { x: 'a' },
  },
]

describe('a schema that takes less', () => {
  test.each(changes)('is noticed: $because', ({ before, after, path, witness, old }) => {
    expect(narrowings(before, after, 'definition').map((found) => found.path)).toEqual([path])
    const then = written(before, witness, old)
    expect(then.errors).toEqual([])
    const now = written(after, witness, old)
    expect(now.errors.length > 0 || JSON.stringify(now) !== JSON.stringify(then)).toBe(true)
  })

  test.each(changes)('is not one the other way round, unless both are: $because', (change) => {
    const back = narrowings(change.after, change.before, 'definition')
    expect(back.length > 0).toBe(change.isBothWays === true)
  })
})

describe('a schema that takes as much', () => {
  test.each<{ because: string; before: Schema; after: Schema }>([
    {
      because: 'a rule says the same with other words and spaces',
      before: within({ ...count, ...rule('self > 1') }),
      after: within({ ...count, ...rule(' self >\n 1 ', 'more than one') }),
    },
    {
      because: 'rules stand in another order',
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
      because: 'a demanded field is filled where it is not set',
      before: within(text),
      after: {
        type: 'object',
        required: ['y'],
        properties: { x: text, y: { ...text, default: 'a' } },
      },
    },
    {
      because: 'a field is new, with demands and rules of its own',
      before: within(text),
      after: {
        type: 'object',
        properties: { x: text, y: within(text, { required: ['x'], ...rule('has(self.x)') }) },
      },
    },
    {
      because: 'numbers may be larger',
      before: within({ ...count, format: 'int32' }),
      after: within({ ...count, format: 'int64' }),
    },
    {
      because: 'nothing is shorter than nothing',
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
