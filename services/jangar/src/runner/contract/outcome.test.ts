import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { exitCodeOf, REASONS, type Reason } from './outcome.ts'

const page = readFileSync(
  join(import.meta.dirname, '..', '..', '..', '..', '..', 'docs', 'runner.md'),
  'utf8',
)

/** Cells of the page's table of exit codes: codes, then reasons. */
const told = page
  .split('\n')
  .filter((line) => /^\| \d/.test(line))
  .flatMap((line) => {
    const [, code = '', reasons = '', otherCode = '', otherReasons = ''] = line.split('|')
    return [pair(code, reasons), pair(otherCode, otherReasons)]
  })

function pair(codes: string, reasons: string) {
  return {
    codes: codes.split(',').map(Number),
    reasons: Array.from(reasons.matchAll(/\w+/g), ([word]) => word),
  }
}

const fixed = (Object.keys(REASONS) as Reason[]).filter((reason) => 'exitCode' in REASONS[reason])

test.each(fixed)('the page for builders of images tells the exit code of %s', (reason) => {
  const row = told.find(({ reasons }) => reasons.includes(reason))
  expect(row?.codes).toContain(exitCodeOf(reason))
})

test('a program that failed has its own exit code', () => {
  expect(exitCodeOf('ProgramFailed', 42)).toBe(42)
})
