import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createLineSplitter } from './line-splitter.ts'

describe('a line splitter', () => {
  test('gives the same lines however the bytes arrive', () => {
    const lines = fc.array(fc.string({ unit: 'grapheme' }).map((line) => line.replaceAll('\n', '')))
    const cuts = fc.array(fc.nat(), { maxLength: 30 })
    fc.assert(
      fc.property(lines, cuts, (wanted, offsets) => {
        const bytes = Buffer.from(wanted.map((line) => `${line}\n`).join(''))
        const bounds = [0, ...offsets.map((o) => o % (bytes.length + 1)), bytes.length]
        bounds.sort((a, b) => a - b)
        const splitter = createLineSplitter(1_000_000)
        const found = bounds
          .slice(1)
          .flatMap((end, n) => splitter.push(bytes.subarray(bounds[n], end)))
          .map((line) => line.toString('utf8'))
        expect(found).toEqual(wanted)
        expect(splitter.pending).toBe(0)
      }),
    )
  })

  test('keeps an unterminated line', () => {
    const splitter = createLineSplitter(100)
    expect(splitter.push(Buffer.from('a\nbc'))).toHaveLength(1)
    expect(splitter.pending).toBe(2)
  })

  test.each([
    { because: 'in one chunk', chunks: ['123456\n'] },
    { because: 'in several chunks', chunks: ['123', '456\n'] },
    { because: 'without a newline', chunks: ['1234567'] },
  ])('rejects a line that is too long, $because', ({ chunks }) => {
    const splitter = createLineSplitter(5)
    expect(() => chunks.map((chunk) => splitter.push(Buffer.from(chunk)))).toThrow(RangeError)
  })

  test('accepts a line of the maximum length', () => {
    const splitter = createLineSplitter(5)
    expect(splitter.push(Buffer.from('12345\n'))).toHaveLength(1)
  })
})
