import { describe, expect, test } from 'vitest'
import { sweepProblem, sweepToken } from './sweep-guard.ts'

function files(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `f${index}`)
}

describe('sweepProblem', () => {
  test.each([
    [10, 10, 0.5, true, 'ten files may always be deleted'],
    [11, 11, 0.5, false, 'all of eleven is more than half'],
    [50, 100, 0.5, true, 'half is not more than half'],
    [51, 100, 0.5, false, 'one more is more than half'],
    [11, 1000, 0, false, 'zero requires a confirmation for everything above ten'],
    [1000, 1000, 1, true, 'one never requires a confirmation'],
  ])('%i of %i at %d: allowed %s, because %s', (count, total, fraction, isAllowed) => {
    const problem = sweepProblem({ paths: files(count), total }, fraction, undefined)
    expect(problem === undefined).toBe(isAllowed)
  })

  test('accepts a confirmation for these files only, in any order', () => {
    const paths = files(20)
    const token = sweepToken(paths)
    expect(sweepProblem({ paths, total: 20 }, 0.5, undefined)).toContain(token)
    expect(sweepProblem({ paths: paths.toReversed(), total: 20 }, 0.5, token)).toBeUndefined()
    expect(sweepProblem({ paths: files(21), total: 21 }, 0.5, token)).toBeDefined()
  })
})
