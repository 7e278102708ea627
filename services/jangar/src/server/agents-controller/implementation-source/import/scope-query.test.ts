import fc from 'fast-check'
import { expect, test } from 'vitest'
import { matchesQuery, readQuery } from './scope-query.ts'

const issue = {
  title: 'Fix the parser',
  body: 'It breaks on "quotes" in C++: see #12.',
  labels: ['Agent', 'good first issue'],
}

function matches(text: string): boolean {
  const query = readQuery(text)
  if ('problem' in query) throw new Error(query.problem)
  return matchesQuery(query, issue)
}

test.each([
  { query: '', expected: true },
  { query: 'is:open is:issue state:open', expected: true },
  { query: 'parser', expected: true },
  { query: 'PARSER breaks', expected: true },
  { query: 'parser lexer', expected: false },
  { query: '-lexer', expected: true },
  { query: '-parser', expected: false },
  { query: '"fix the"', expected: true },
  { query: '"the fix"', expected: false },
  { query: '-"fix the"', expected: false },
  { query: 'parser in:title', expected: true },
  { query: 'breaks in:title', expected: false },
  { query: 'breaks in:title,body', expected: true },
  { query: 'in:body parser', expected: false },
  { query: 'label:agent', expected: true },
  { query: 'label:"good first issue"', expected: true },
  { query: 'label:good', expected: false },
  { query: 'label:bug,agent', expected: true },
  { query: 'label:bug,"good first issue"', expected: true },
  { query: 'label:agent label:bug', expected: false },
  { query: '-label:agent', expected: false },
  { query: '-label:bug,wontfix', expected: true },
  { query: 'c++ #12', expected: true },
  { query: '-"AND" -"f(x)" -label:"OR (old)"', expected: true },
])('$query: $expected', ({ query, expected }) => {
  expect(matches(query)).toBe(expected)
})

test.each([
  'author:me',
  'label:bug OR label:agent',
  'parser AND lexer',
  'NOT parser',
  'parser -NOT lexer',
  '(label:bug label:agent)',
  'label:agent parser)',
  'f(x)',
  'assignee:me bug',
  'is:closed',
  'state:closed',
  'no:label',
  'created:>2026-01-01',
  'repo:other/private',
  'in:comments',
  'label:',
  'label:""',
  '"open',
  '""',
  Array.from({ length: 21 }, (_, at) => `w${at}`).join(' '),
])('is refused, with the field: %s', (query) => {
  expect(readQuery(query)).toEqual({
    problem: expect.stringMatching(/^spec\.scope\.query: .{5,200}$/),
  })
})

test('never throws', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 1024, unit: 'binary-ascii' }), (text) => {
      readQuery(text)
    }),
  )
})
