import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  difference,
  type FieldSet,
  intersection,
  pathsOf,
  recursiveDifference,
  setOf,
  union,
} from './field-set.ts'

const path = fc.array(fc.constantFrom('f:a', 'f:b', 'v:1'), { minLength: 1, maxLength: 3 })
const paths = fc.array(path, { maxLength: 6 })
function texts(set: FieldSet): string[] {
  return pathsOf(set)
    .map((each) => each.join(' '))
    .sort()
}
function unique(list: string[][]): string[] {
  return [...new Set(list.map((each) => each.join(' ')))].sort()
}

describe('sets of field paths', () => {
  test('distinguish a path from the paths below and above it', () => {
    fc.assert(
      fc.property(paths, paths, (a, b) => {
        const left = setOf(...a)
        const right = setOf(...b)
        const inLeft = unique(a)
        const inRight = unique(b)
        expect(texts(left)).toEqual(inLeft)
        expect(texts(union(left, right))).toEqual(unique([...a, ...b]))
        expect(texts(intersection(left, right))).toEqual(
          inLeft.filter((each) => inRight.includes(each)),
        )
        expect(texts(difference(left, right))).toEqual(
          inLeft.filter((each) => !inRight.includes(each)),
        )
        expect(texts(recursiveDifference(left, right))).toEqual(
          inLeft.filter((each) => !inRight.some((gone) => `${each} `.startsWith(`${gone} `))),
        )
      }),
    )
  })

  test('return the same instance if nothing is added or removed', () => {
    fc.assert(
      fc.property(paths, paths, (a, b) => {
        const all = setOf(...a, ...b)
        expect(union(setOf(...a), all)).toBe(all)
        const others = setOf(['f:other'], ['f:a', 'f:other'])
        expect(difference(all, others)).toBe(all)
        expect(recursiveDifference(all, others)).toBe(all)
      }),
    )
  })

  test('are not mutated by set operations', () => {
    fc.assert(
      fc.property(paths, paths, (a, b) => {
        const left = setOf(...a)
        const right = setOf(...b)
        const before = [texts(left), texts(right)]
        union(union(left, right), left)
        difference(left, right)
        recursiveDifference(left, right)
        intersection(left, right)
        expect([texts(left), texts(right)]).toEqual(before)
      }),
    )
  })
})
