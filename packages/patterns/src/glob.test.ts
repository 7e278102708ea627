import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { globMatcher } from './glob.ts'

const cases: readonly [string, readonly string[], readonly string[]][] = [
  ['main', ['main'], ['Main', 'main2']],
  ['*', ['main', ''], ['release/1']],
  ['release/*', ['release/1', 'release/'], ['release', 'release/1/x']],
  ['release/*/*', ['release/1/x'], ['release/1']],
  ['*/*-?', ['release/a-1', '/-a'], ['release/a-', 'a-1', 'a/b/c-1']],
  ['feature-?', ['feature-a', 'feature-é', 'feature-🌱'], ['feature-ab', 'feature-', 'feature-/']],
  ['v[0-9].*', ['v1.2'], ['vX.2', 'v12']],
  ['[^a]x', ['bx'], ['ax', '/x']],
  ['[^]', ['^'], ['a', '']],
  ['[+-/]', ['.'], ['/']],
  ['[a-]', ['a', '-'], ['b']],
  ['[a\\-c]', ['a', '-', 'c'], ['b']],
  ['\\*', ['*'], ['main']],
  ['[\\]a]', [']', 'a'], ['b']],
  ['a]b', ['a]b'], ['ab']],
  ['kube-root-ca.crt', ['kube-root-ca.crt'], ['kube-root-caxcrt']],
  [`${'a'.repeat(31)}*b`, [`${'a'.repeat(31)}xb`], [`${'a'.repeat(31)}`, `${'a'.repeat(30)}b`]],
  [`*${'a'.repeat(32)}`, ['a'.repeat(32), 'a'.repeat(99)], ['a'.repeat(31)]],
]

describe('globMatcher', () => {
  test.each(cases)('%s matches %j and not %j', (pattern, yes, no) => {
    const matches = globMatcher(pattern)
    for (const name of yes) expect(matches(name), name).toBe(true)
    for (const name of no) expect(matches(name), name).toBe(false)
  })

  test.each(['[', 'a[', '\\', '[\\', '[]', '[a', '[z-a]'])(
    'rejects %s, which is malformed',
    (pattern) => {
      expect(() => globMatcher(pattern)).toThrow(SyntaxError)
    },
  )

  test('is equivalent to a regular expression', () => {
    const parts = { '*': '[^/]*', '?': '[^/]', '[a-b]': '[a-b]', '[^a]': '[^a/]', a: 'a', '/': '/' }
    const pattern = fc.array(fc.constantFrom(...Object.keys(parts)), { maxLength: 10 })
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '/'), maxLength: 10 })
    fc.assert(
      fc.property(pattern, text, (tokens, candidate) => {
        const source = tokens.map((token) => parts[token as keyof typeof parts]).join('')
        return globMatcher(tokens.join(''))(candidate) === new RegExp(`^${source}$`).test(candidate)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('what a pattern of 255 characters costs against a name of 253', () => {
  const name = 'a'.repeat(253)
  test.each([
    { pattern: '*a'.repeat(127), because: 'each star can end at each character' },
    { pattern: `${'*a'.repeat(126)}*b`, because: 'nothing ends with b, which is known last' },
    { pattern: `*${'a'.repeat(253)}b`, because: 'a search would start again at each character' },
    { pattern: `${'*?'.repeat(126)}*b`, because: 'any character fits' },
    { pattern: `${'*[a-z]'.repeat(42)}b`, because: 'sets fit' },
    {
      pattern: `*[${'a'.repeat(250)}]b`,
      because: 'a set lists the same character again and again',
    },
  ])('does not multiply: $because', ({ pattern }) => {
    const work = { steps: 0 }
    globMatcher(pattern, work)(name)
    // Eight words of 32 tokens for each character, and each token once for the only character there is.
    expect(work.steps).toBeGreaterThan(0)
    expect(work.steps).toBeLessThanOrEqual(8 * name.length + 255)
  })

  test('is each token once more for each character that the name has not had before', () => {
    const distinct = Array.from({ length: 253 }, (_, index) => String.fromCodePoint(0x4e00 + index))
    const work = { steps: 0 }
    globMatcher('*?'.repeat(127), work)(distinct.join(''))
    expect(work.steps).toBeLessThanOrEqual((8 + 127) * 253)
  })
})
