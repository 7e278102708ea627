import { spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'

test('the last line tells the total, also where the tools are not installed', () => {
  const directory = mkdtempSync(join(tmpdir(), 'agents-empty-'))
  try {
    copyFileSync(join(import.meta.dirname, 'test.ts'), join(directory, 'test.mts'))
    cpSync(join(import.meta.dirname, 'test'), join(directory, 'test'), { recursive: true })
    const { status, stdout, stderr } = spawnSync(process.execPath, ['test.mts'], {
      cwd: directory,
      encoding: 'utf8',
    })
    const lines = stdout.trimEnd().split('\n')
    expect(lines.at(-1)).toBe('0 passed, 4 failed')
    const told = ['  lint', '  types', '  generated files', '  vitest.config.ts']
    expect(lines.slice(lines.indexOf('failed:')).filter((line) => /^ {2}\S/.test(line))).toEqual(
      told,
    )
    expect(stderr).toContain('run "npm ci" first')
    expect(status).toBe(1)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})

describe('a long suite that fails', () => {
  /** With a stand-in for Vitest that fails so many times. */
  const runLong = (failures: number) => {
    const directory = mkdtempSync(join(tmpdir(), 'agents-long-'))
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
    const scripts = join(directory, 'scripts')
    mkdirSync(join(directory, 'node_modules/.bin'), { recursive: true })
    mkdirSync(join(directory, 'tests/slow'), { recursive: true })
    mkdirSync(scripts)
    copyFileSync(join(import.meta.dirname, 'test.ts'), join(scripts, 'test.mts'))
    cpSync(join(import.meta.dirname, 'test'), join(scripts, 'test'), { recursive: true })
    writeFileSync(join(directory, 'tests/slow/vitest.config.ts'), '')
    writeFileSync(join(directory, 'node_modules/.bin/vitest'), standIn(failures), { mode: 0o700 })
    const { status, stdout } = spawnSync(process.execPath, ['scripts/test.mts', '--long'], {
      cwd: directory,
      encoding: 'utf8',
    })
    return { status, lines: stdout.trimEnd().split('\n') }
  }

  const standIn = (failures: number) => `#!/bin/sh
for word; do case "$word" in --outputFile.tally=*) report="\${word#*=}" ;; esac; done
echo run >>runs
if [ "$(wc -l <runs)" -gt ${failures} ]; then
  echo '{"passed":2,"failed":0,"failures":[]}' >"$report"
else
  echo '{"passed":1,"failed":1,"failures":[{"where":"slow > late","why":"too late"}]}' >"$report"
  exit 1
fi
`

  test('is run again, and told as unsteady when it is green then', () => {
    const { status, lines } = runLong(1)
    expect(status).toBe(0)
    expect(lines.slice(-4)).toEqual([
      'unsteady, green when run again:',
      '  slow > late',
      '    too late',
      '2 passed, 0 failed',
    ])
  })

  test('has failed when it fails again', () => {
    const { status, lines } = runLong(2)
    expect(status).toBe(1)
    expect(lines.slice(-4)).toEqual([
      'failed:',
      '  slow > late',
      '    too late',
      '1 passed, 1 failed',
    ])
    expect(lines.filter((line) => line.startsWith('suite '))).toHaveLength(2)
  })

  test('is not run again when it is green', () => {
    const { status, lines } = runLong(0)
    expect(status).toBe(0)
    expect(lines).toEqual(['suite tests/slow/vitest.config.ts', '2 passed, 0 failed'])
  })
})
