import { describe, expect, test } from 'vitest'
import { findResults } from './find-results.ts'
import { parseJsonPath } from './parse-json-path.ts'
import { printValue } from './print-value.ts'

const object = {
  metadata: { annotations: { 'a.test/note': 'noted' } },
  spec: { list: ['x', 'y', 'z'], nothing: null, big: 12345678901234567890n, none: [] },
  status: {
    conditions: [
      { type: 'Ready', status: 'True', weight: 1, note: 'a "quoted" )] word' },
      { type: 'Synced', status: 'False', weight: 3 },
    ],
  },
}

describe('the results of a path', () => {
  test.each([
    { path: '.spec.list[0]', found: ['x'], because: 'an index picks one' },
    { path: '.spec.list[-1]', found: ['z'], because: 'a negative index counts from the end' },
    { path: '.spec.list[*]', found: ['x', 'y', 'z'], because: 'a star is all of them' },
    { path: '.spec.list[0:3:2]', found: ['x', 'z'], because: 'a slice may stride' },
    { path: '.spec.list[2,0]', found: ['z', 'x'], because: 'a union keeps its own order' },
    { path: '.spec.list[1:1]', found: [], because: 'an empty slice is not an error' },
    { path: '.spec.nothing[0]', found: [], because: 'null has no elements and is skipped' },
    { path: '.spec.missing.deeper', found: [], because: 'missing fields have no results' },
    { path: '.spec.constructor', found: [], because: 'inherited properties are not fields' },
    {
      path: '.metadata.annotations.a\\.test/note',
      found: ['noted'],
      because: 'a backslash escapes a dot',
    },
    {
      path: ".metadata.annotations['a\\.test/note']",
      found: ['noted'],
      because: 'a dot in brackets needs a backslash too',
    },
    {
      path: ".metadata.annotations['a.test/note']",
      found: [],
      because: 'without a backslash the key is two fields, like upstream',
    },
    {
      path: '.status.conditions[?(@.type=="Ready")].status',
      found: ['True'],
      because: 'a filter selects equal values',
    },
    {
      path: '.status.conditions[?(@.weight>=2)].type',
      found: ['Synced'],
      because: 'integers have an order',
    },
    {
      path: '.status.conditions[?(@.note)].type',
      found: ['Ready'],
      because: 'a filter with a path only selects existing fields',
    },
    {
      path: '.status.conditions[?(@.note=="a \\"quoted\\" )] word")].type',
      found: ['Ready'],
      because: 'quotes and parentheses inside quotes are text',
    },
    { path: '..weight', found: [1, 3], because: 'two dots search at every depth' },
  ])('$path: $because', ({ path, found }) => {
    const parsed = parseJsonPath(path)
    expect(parsed).toBeDefined()
    expect(findResults(parsed ?? [], object)).toEqual(found)
  })
})

describe('a path that does not match the object', () => {
  test.each([
    { path: '.spec.list[9]', because: 'the index is beyond the end' },
    { path: '.spec[0]', because: 'an object has no index' },
    { path: '.spec[?(@.a=="b")]', because: 'an object cannot be filtered' },
    { path: '.status.conditions[?(@.weight=="1")]', because: 'a number is not a string' },
    { path: '.status.conditions[?(@.weight>1.5)]', because: 'an integer is not a float' },
    { path: 'spec.list', because: 'a bare word is not a field' },
  ])('$path: $because', ({ path }) => {
    const parsed = parseJsonPath(path)
    expect(parsed).toBeDefined()
    expect(findResults(parsed ?? [], object)).toBeUndefined()
  })
})

test.each([
  { path: '.spec[', because: 'the bracket is not closed' },
  { path: '.spec[?(@.a', because: 'the filter is not closed' },
  { path: '.spec["a"]', because: 'keys take single quotes' },
  { path: '.spec[-]', because: 'a minus is not a number' },
  { path: '....a', because: 'two descents in a row have no meaning' },
  { path: "'a", because: 'the quote is not closed' },
  { path: '"\\q"', because: 'the escape is unknown' },
  { path: '#', because: 'the character has no meaning' },
])('$path is invalid: $because', ({ path }) => {
  expect(parseJsonPath(path)).toBeUndefined()
})

test.each([
  { value: 'text', printed: 'text', because: 'strings stay bare' },
  { value: 42, printed: '42', because: 'integers are decimal' },
  { value: 1e21, printed: '1e+21', because: 'Go turns to exponents there too' },
  { value: 0.00001, printed: '1e-05', because: 'Go writes two digits of exponent' },
  { value: 12345678901234567890n, printed: '12345678901234567890', because: 'no digit is lost' },
  { value: null, printed: '<no value>', because: 'null is printed like in upstream' },
  {
    value: { b: '<', a: [1n, null] },
    printed: '{"a":[1,null],"b":"\\u003c"}',
    because: 'objects are JSON with sorted keys and without HTML',
  },
])('$value is printed as $printed: $because', ({ value, printed }) => {
  expect(printValue(value)).toBe(printed)
})
