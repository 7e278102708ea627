import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SortedKeys } from './sorted-keys.ts'

test('is a sorted set with any number of chunks', () => {
  // Enough for several chunks, some of which become empty when most keys are removed.
  const numbers = fc.uniqueArray(fc.nat(100_000), { minLength: 1200, maxLength: 2500, size: 'max' })
  fc.assert(
    fc.property(numbers, fc.nat(2500), fc.nat(100_000), (added, removed, probe) => {
      const keys = new SortedKeys()
      for (const number of added) keys.add(keyOf(number))
      for (const number of added.slice(0, removed)) keys.delete(keyOf(number))
      keys.delete('absent')
      for (const number of added.slice(-3)) if (removed < added.length - 3) keys.add(keyOf(number))
      const expected = added.slice(removed).map(keyOf).sort()
      const below = expected.filter((key) => key < keyOf(probe)).length
      expect([...keys.from('')]).toEqual(expected)
      expect([...keys.from(keyOf(probe))]).toEqual(expected.slice(below))
      expect(keys.rank(keyOf(probe))).toBe(below)
    }),
    { numRuns: 30 },
  )
})

function keyOf(number: number): string {
  return `/g/r/${number}`
}
