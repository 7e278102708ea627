import { describe, expect, test } from 'vitest'
import { globMatcher } from './glob-matcher.ts'

const cases: readonly [string, readonly string[], readonly string[]][] = [
  ['main', ['main'], ['Main', 'main2']],
  ['*', ['main', ''], ['release/1']],
  ['release/*', ['release/1', 'release/'], ['release', 'release/1/x']],
  ['release/*/*', ['release/1/x'], ['release/1']],
  ['feature-?', ['feature-a', 'feature-é'], ['feature-ab', 'feature-', 'feature-/']],
  ['v[0-9].*', ['v1.2'], ['vX.2', 'v12']],
  ['[^a]x', ['bx'], ['ax', '/x']],
  ['\\*', ['*'], ['main']],
  ['[\\]a]', [']', 'a'], ['b']],
  ['kube-root-ca.crt', ['kube-root-ca.crt'], ['kube-root-caxcrt']],
]

describe('globMatcher', () => {
  test.each(cases)('%s matches %j and not %j', (pattern, yes, no) => {
    const matches = globMatcher(pattern)
    for (const name of yes) expect(matches(name), name).toBe(true)
    for (const name of no) expect(matches(name), name).toBe(false)
  })

  test.each(['[', 'a[', '\\', '[z-a]'])('rejects %s, which is malformed', (pattern) => {
    expect(() => globMatcher(pattern)).toThrow(SyntaxError)
  })
})
