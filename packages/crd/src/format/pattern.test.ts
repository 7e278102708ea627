import fc from 'fast-check'
import { RE2JS } from 're2js'
import { describe, expect, test } from 'vitest'
import { compilePattern, patternProblem } from './pattern.ts'
import { translateSafePattern } from './safe-pattern.ts'

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'

const admitted = [
  { because: 'a DNS label', pattern: `^${label}$` },
  { because: 'delimited labels: a dot occurs in no label', pattern: `^${label}(\\.${label})*$` },
  { because: 'a negated class', pattern: '^[^\\x00-\\x20~^:?*\\[\\\\]+$' },
  { because: 'alternatives', pattern: '^(\\*|v[0-9]+((alpha|beta)[0-9]+)?)$' },
  { because: 'fixed lengths', pattern: '^[0-9a-f]{40}([0-9a-f]{24})?$' },
  { because: 'a literal anywhere', pattern: 'abc' },
]

const left = [
  { because: 'nested repetition', pattern: '^(a+)+$' },
  {
    because: 'an ambiguous part between delimiters',
    pattern: '^(\\.a?a?)*$',
  },
  { because: 'an option that can match the empty text', pattern: '^(\\.(a*)?)*$' },
  { because: 'a delimiter that also occurs between delimiters', pattern: '^(\\.[a-z.]*)*$' },
  { because: 'alternatives under a repetition', pattern: '^(a|ab|b)*$' },
  { because: 'a sequence of options', pattern: `^${'a?'.repeat(30)}${'a'.repeat(30)}$` },
  { because: 'the dot, which differs between dialects', pattern: '^a.b$' },
  { because: 'POSIX classes, which only RE2 has', pattern: '^[[:alpha:]]+$' },
  { because: 'lazy quantifiers', pattern: '^a+?$' },
]

describe('patterns', () => {
  test.each(admitted)('JavaScript may run $because', ({ pattern }) => {
    expect(translateSafePattern(pattern)).toBeDefined()
  })

  test.each(left)('RE2 runs $because', ({ pattern }) => {
    expect(translateSafePattern(pattern)).toBeUndefined()
  })

  test.each(admitted)('both engines agree on $because', ({ pattern }) => {
    const safe = translateSafePattern(pattern)
    const exact = RE2JS.compile(pattern)
    const pieces = [
      'a',
      'z',
      '0',
      '-',
      '.',
      '/',
      '~',
      '\\',
      'é',
      '😀',
      '\n',
      'alpha',
      'abc',
      'v1',
      '*',
      'f'.repeat(20),
    ]
    const text = fc
      .array(fc.constantFrom(...pieces), { maxLength: 8 })
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, (candidate) => safe?.regex.test(candidate) === exact.test(candidate)),
      { numRuns: 500 },
    )
  })

  test('a text that could take too long is matched by RE2', () => {
    const pattern = compilePattern(`^${label}(\\.${label})*$`)
    expect(pattern.test(`${'a'.repeat(200_000)}!`)).toBe(false)
    expect(compilePattern('^(a+)+$').test(`${'a'.repeat(50_000)}!`)).toBe(false)
  })

  test('the error of a pattern is worded as Go does', () => {
    expect(patternProblem('[a')).toBe('error parsing regexp: missing closing ]: `[a`')
    expect(patternProblem('^a$')).toBeUndefined()
  })
})
