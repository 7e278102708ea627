import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { type SamplerName, samplerOf } from './sampler.ts'
import { traceIdOf } from './span-context.ts'

/** A trace id whose random part is the middle of the range. */
const middle = 'ffffffffffffffffff80000000000000'

function parent(isSampled: boolean) {
  return { traceId: middle, spanId: '00f067aa0ba902b7', isSampled }
}

describe('a sampler', () => {
  test.each<{ name: SamplerName; ratio: number; alone: boolean; below: [boolean, boolean] }>([
    { name: 'always_on', ratio: 0, alone: true, below: [true, true] },
    { name: 'always_off', ratio: 1, alone: false, below: [false, false] },
    { name: 'traceidratio', ratio: 0.5, alone: true, below: [true, true] },
    { name: 'traceidratio', ratio: 0.49, alone: false, below: [false, false] },
    { name: 'parentbased_always_on', ratio: 0, alone: true, below: [true, false] },
    { name: 'parentbased_always_off', ratio: 1, alone: false, below: [true, false] },
    { name: 'parentbased_traceidratio', ratio: 0.5, alone: true, below: [true, false] },
    { name: 'parentbased_traceidratio', ratio: 0.49, alone: false, below: [true, false] },
  ])('$name with $ratio', ({ name, ratio, alone, below }) => {
    const sampler = samplerOf(name, ratio)
    expect(sampler(middle, undefined)).toBe(alone)
    expect([sampler(middle, parent(true)), sampler(middle, parent(false))]).toEqual(below)
  })

  test('samples everything with 1, and nothing with 0', () => {
    const ids = ['0'.repeat(31).concat('1'), 'f'.repeat(32), traceIdOf(randomUUID())]
    expect(ids.map((id) => samplerOf('traceidratio', 1)(id, undefined))).toEqual([true, true, true])
    expect(ids.map((id) => samplerOf('traceidratio', 0)(id, undefined))).toEqual([
      false,
      false,
      false,
    ])
  })

  test('samples with a larger ratio everything that a smaller one samples', () => {
    for (let round = 0; round < 500; round++) {
      const id = traceIdOf(randomUUID())
      const kept = [0.01, 0.1, 0.5, 0.9].map((ratio) =>
        samplerOf('traceidratio', ratio)(id, undefined),
      )
      expect(kept).toEqual(kept.toSorted((a, b) => Number(a) - Number(b)))
    }
  })

  test('samples the right share of uids, in spite of their fixed bits', () => {
    const total = 20_000
    const sampler = samplerOf('traceidratio', 0.25)
    let kept = 0
    for (let round = 0; round < total; round++)
      if (sampler(traceIdOf(randomUUID()), undefined)) kept += 1
    // Ten standard deviations.
    expect(Math.abs(kept - total / 4)).toBeLessThan(10 * Math.sqrt(total * 0.25 * 0.75))
  })
})
