import { describe, expect, test } from 'vitest'
import { findResults } from './find-results.ts'
import { parseJsonPath } from './parse-json-path.ts'

/** The results of a path, and how many values were visited for them. */
function resultsOf(text: string, value: unknown) {
  const path = parseJsonPath(text)
  if (path === undefined) throw new Error(`${text} is not a path`)
  const work = { left: 100_000 }
  return { results: findResults(path, value, work), visits: 100_000 - work.left }
}

/** Lists in lists: `width` in each, `depth` levels. */
function nested(width: number, depth: number): unknown {
  return depth === 0 ? 1 : Array.from({ length: width }, () => nested(width, depth - 1))
}

test('visits what a path names', () => {
  const value = { a: [{ b: 1 }, { b: 2 }], c: { b: 3 } }
  expect(resultsOf('.a[*].b', value)).toEqual({ results: [1, 2], visits: 4 })
  expect(resultsOf('..b', value).results).toEqual([1, 2, 3])
  expect(resultsOf('.a[?(@.b==2)].b', value).results).toEqual([2])
})

describe('a path that multiplies what it finds', () => {
  test.each([
    { path: '[*,*]'.repeat(40), value: nested(1, 40), because: 'each step finds everything twice' },
    {
      path: '..[*]'.repeat(12),
      value: nested(1, 80),
      because: 'each step begins at each value again',
    },
    {
      path: `[?(${'@[*,*]'.repeat(40)})]`,
      value: [nested(1, 40)],
      because: 'a filter does so, too',
    },
    { path: '..[*]', value: nested(10, 6), because: 'the value is larger than a cell' },
  ])('ends without a result: $because', ({ path, value }) => {
    const { results, visits } = resultsOf(path, value)
    expect(results).toBeUndefined()
    expect(visits).toBeLessThan(400_000)
  })
})
