import { describe, expect, test } from 'vitest'
import { type Failure, failureLines } from './failure.ts'

function failures(count: number, lines: number): Failure[] {
  return Array.from({ length: count }, (_, number) => ({
    where: `file ${number} > test`,
    why: Array.from({ length: lines }, (_, line) => `reason ${number}.${line}`).join('\n'),
  }))
}

describe('the summary of failures', () => {
  test('is empty if nothing failed', () => {
    expect(failureLines([])).toEqual([])
  })

  test('contains the test and the reason, without empty lines', () => {
    expect(failureLines([{ where: 'a.test.ts > b', why: 'Error: no\n\n- 1\n+ 2' }])).toEqual([
      'failed:',
      '  a.test.ts > b',
      '    Error: no',
      '    - 1',
      '    + 2',
    ])
  })

  test.each([
    { because: 'one failure may have many lines', count: 1, lines: 500, whole: 99 },
    { because: 'several failures share the lines', count: 10, lines: 500, whole: 9 },
    { because: 'many failures have one line each', count: 50, lines: 500, whole: 1 },
    {
      because: 'further failures are only counted',
      count: 900,
      lines: 1,
      whole: 1,
    },
  ])('$because', ({ count, lines, whole }) => {
    const reported = failureLines(failures(count, lines))
    expect(reported.length).toBeLessThan(115)
    expect(reported).toContain(`    reason 0.${whole - 1}`)
    expect(reported).not.toContain(`    reason 0.${whole}`)
    if (count > 50) expect(reported.at(-1)).toBe(`  and ${count - 50} more`)
  })

  test('truncates long lines', () => {
    const [, , line] = failureLines([{ where: 'a', why: 'x'.repeat(100_000) }])
    expect(line).toHaveLength(200)
    expect(line?.endsWith('x…')).toBe(true)
  })
})
