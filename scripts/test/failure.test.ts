import { describe, expect, test } from 'vitest'
import { type Failure, failureLines } from './failure.ts'

const failures = (count: number, lines: number): Failure[] =>
  Array.from({ length: count }, (_, number) => ({
    where: `file ${number} > test`,
    why: Array.from({ length: lines }, (_, line) => `reason ${number}.${line}`).join('\n'),
  }))

describe('what is told at the end', () => {
  test('is nothing when nothing failed', () => {
    expect(failureLines([])).toEqual([])
  })

  test('is the place and the reason, without empty lines', () => {
    expect(failureLines([{ where: 'a.test.ts > b', why: 'Error: no\n\n- 1\n+ 2' }])).toEqual([
      'failed:',
      '  a.test.ts > b',
      '    Error: no',
      '    - 1',
      '    + 2',
    ])
  })

  test.each([
    { because: 'one failure may say much', count: 1, lines: 500, whole: 99 },
    { because: 'some share the room', count: 10, lines: 500, whole: 9 },
    { because: 'many have a line each', count: 50, lines: 500, whole: 1 },
    {
      because: 'too many are counted, and those that are told have a line',
      count: 900,
      lines: 1,
      whole: 1,
    },
  ])('$because', ({ count, lines, whole }) => {
    const told = failureLines(failures(count, lines))
    expect(told.length).toBeLessThan(115)
    expect(told).toContain(`    reason 0.${whole - 1}`)
    expect(told).not.toContain(`    reason 0.${whole}`)
    if (count > 50) expect(told.at(-1)).toBe(`  and ${count - 50} more`)
  })

  test('keeps a line short', () => {
    const [, , line] = failureLines([{ where: 'a', why: 'x'.repeat(100_000) }])
    expect(line).toHaveLength(200)
    expect(line?.endsWith('x…')).toBe(true)
  })
})
