import { describe, expect, test } from 'vitest'
import { batchesBySize, maxFileBytes } from './file-limits.ts'

function batches(sizes: readonly number[]): number[][] {
  return [...batchesBySize(sizes, (size) => size)]
}

describe('batchesBySize', () => {
  test.each<[number[], number[][], string]>([
    [[], [], 'there is nothing'],
    [[1, 2, 3], [[1, 2, 3]], 'all fit together'],
    [
      [maxFileBytes, maxFileBytes, 1],
      [[maxFileBytes, maxFileBytes], [1]],
      'the third does not fit',
    ],
    [[1, 9 * maxFileBytes, 1], [[1], [9 * maxFileBytes], [1]], 'one fits with nothing else'],
  ])('splits %j into %j, because %s', (sizes, expected) => {
    expect(batches(sizes)).toEqual(expected)
  })

  test('limits the number of items, and keeps all of them in order', () => {
    const items = Array.from({ length: 1201 }, (_, index) => index)
    const found = [...batchesBySize(items, () => 0)]
    expect(found.map(({ length }) => length)).toEqual([500, 500, 201])
    expect(found.flat()).toEqual(items)
  })
})
