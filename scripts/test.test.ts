import { spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

test('the last line is the total, also if the tools are not installed', () => {
  const directory = mkdtempSync(join(tmpdir(), 'agents-empty-'))
  try {
    copyFileSync(join(import.meta.dirname, 'test.ts'), join(directory, 'test.mts'))
    cpSync(join(import.meta.dirname, 'test'), join(directory, 'test'), { recursive: true })
    const { status, stdout, stderr } = spawnSync(process.execPath, ['test.mts'], {
      cwd: directory,
      encoding: 'utf8',
    })
    const lines = stdout.trimEnd().split('\n')
    expect(lines.at(-1)).toBe('0 passed, 5 failed')
    const checks = ['  lint', '  types', '  types of the console', '  generated files']
    const reported = [...checks, '  quick'].toSorted()
    const failed = lines.slice(lines.indexOf('failed:')).filter((line) => /^ {2}\S/.test(line))
    // The checks run beside the tests.
    expect(failed.toSorted()).toEqual(reported)
    expect(stderr).toContain('run "npm ci" first')
    expect(status).toBe(1)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})
