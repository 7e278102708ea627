import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { exitCodeOf, type Reason, reasons } from './outcome.ts'

const page = readFileSync(
  join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'runner.md'),
  'utf8',
)

/** The cells of the page's table of exit codes: codes, then reasons. */
const documented = page
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

const fixed = (Object.keys(reasons) as Reason[]).filter((reason) => 'exitCode' in reasons[reason])

test.each(fixed)('docs/runner.md lists the exit code of %s', (reason) => {
  const row = documented.find(({ reasons }) => reasons.includes(reason))
  expect(row?.codes).toContain(exitCodeOf(reason))
})

test('a program that failed has its own exit code', () => {
  expect(exitCodeOf('ProgramFailed', 42)).toBe(42)
})
