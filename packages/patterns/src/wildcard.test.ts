import fc from 'fast-check'
import { expect, test } from 'vitest'
import { matchesWildcard } from './wildcard.ts'

test.each([
  { pattern: 'a/b', text: 'a/b', is: true, because: 'without a star it matches itself' },
  { pattern: 'a/b', text: 'a/bc', is: false, because: 'a pattern matches the whole text' },
  { pattern: '*', text: '', is: true, because: 'a star matches the empty string' },
  { pattern: 'org/*', text: 'org/a/b', is: true, because: 'a star matches slashes' },
  { pattern: 'org/*', text: 'my/org/a', is: false, because: 'it is anchored at the start' },
  {
    pattern: '*.internal',
    text: 'a.internal.evil',
    is: false,
    because: 'it is anchored at the end',
  },
  { pattern: 'ab*ba', text: 'aba', is: false, because: 'prefix and suffix do not overlap' },
  { pattern: 'a.c', text: 'abc', is: false, because: 'a dot is a literal' },
])('$pattern and $text: $because', ({ pattern, text, is }) => {
  expect(matchesWildcard(pattern, text)).toBe(is)
})

test('is equivalent to a regular expression', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 })
  const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 10 })
  fc.assert(
    fc.property(word, text, (pattern, candidate) => {
      const expression = new RegExp(`^${pattern.replaceAll('*', '.*')}$`)
      return matchesWildcard(pattern, candidate) === expression.test(candidate)
    }),
    { numRuns: 2000 },
  )
})

test.each([
  { pattern: `${'*a'.repeat(500)}*b*`, because: 'each star can end at each character' },
  { pattern: `*${'a'.repeat(1000)}b*`, because: 'a search would start again at each character' },
])('does not multiply pattern and text: $because', ({ pattern }) => {
  const work = { steps: 0 }
  const text = 'a'.repeat(4000)
  expect(matchesWildcard(pattern, text, work)).toBe(false)
  expect(work.steps).toBeGreaterThan(0)
  expect(work.steps).toBeLessThanOrEqual(32 * text.length + pattern.length)
})

test.each([
  {
    pattern: `*${'a*'.repeat(500_000)}`,
    is: false,
    because: 'the text has too few characters for it',
  },
  { pattern: `*${'a'.repeat(1_000_000)}*`, is: false, because: 'the text is shorter' },
  { pattern: `a${'*'.repeat(1_000_000)}a`, is: true, because: 'stars in a row are one' },
])('a pattern of a million characters costs no steps: $because', ({ pattern, is }) => {
  const work = { steps: 0 }
  expect(matchesWildcard(pattern, 'a'.repeat(100), work)).toBe(is)
  expect(work.steps).toBeLessThan(1000)
})
