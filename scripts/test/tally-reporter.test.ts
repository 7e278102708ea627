import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Tally } from './tally-reporter.ts'

const root = join(import.meta.dirname, '..', '..')

const files = {
  'tests.test.ts': `
    describe('sums', () => {
      test('hold', () => expect(1 + 1).toBe(2))
      test('differ', () => expect({ sum: 2 }).toEqual({ sum: 3 }))
    })`,
  'hook.test.ts': `
    describe('a group', () => {
      beforeAll(() => { throw new Error('not prepared') })
      test('never begins', () => {})
    })`,
  'file.test.ts': `throw new Error('does not load')`,
  'stray.test.ts': `
    test('passes', () => {
      setTimeout(() => { throw new Error('too late') })
      return new Promise((resolve) => { setTimeout(resolve, 100) })
    })`,
}

test('all failures are reported, with their reasons', () => {
  const directory = mkdtempSync(join(tmpdir(), 'agents-tally-'))
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text)
    const report = join(directory, 'report.json')
    const { status } = spawnSync(
      join(root, 'node_modules', '.bin', 'vitest'),
      [
        'run',
        '--globals',
        `--root=${directory}`,
        `--reporter=${join(import.meta.dirname, 'tally-reporter.ts')}`,
        `--outputFile.tally=${report}`,
      ],
      { cwd: root },
    )
    expect(status).toBe(1)
    const tally: Tally = JSON.parse(readFileSync(report, 'utf8'))
    expect(tally).toMatchObject({ passed: 2, failed: 1 })
    expect(Object.fromEntries(tally.failures.map(({ where, why }) => [where, why]))).toEqual({
      'tests.test.ts > sums > differ': expect.stringMatching(
        /^AssertionError: .*to deeply equal.*\nat .*tests\.test\.ts:4\n[\s\S]*- .*"sum": 3,\n\+ .*"sum": 2,/,
      ),
      'hook.test.ts > a group': expect.stringMatching(
        /^Error: not prepared\nat .*hook\.test\.ts:3/,
      ),
      'file.test.ts': expect.stringMatching(/^Error: does not load\n/),
      'nobody caught': expect.stringMatching(/^Error: too late\n/),
    })
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})
