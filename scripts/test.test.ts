import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

test('the last line tells the total, also where the tools are not installed', () => {
  const directory = mkdtempSync(join(tmpdir(), 'agents-empty-'))
  try {
    copyFileSync(join(import.meta.dirname, 'test.ts'), join(directory, 'test.mts'))
    const { status, stdout, stderr } = spawnSync(process.execPath, ['test.mts'], {
      cwd: directory,
      encoding: 'utf8',
    })
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('0 passed, 4 failed')
    expect(stderr).toContain('run "npm ci" first')
    expect(status).toBe(1)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})
