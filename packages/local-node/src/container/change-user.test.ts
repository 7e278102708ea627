import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { isOpenToAll } from './change-user.ts'

test('a file is readable for all users if its folders can be entered and it can be read', () => {
  const root = mkdtempSync(join(tmpdir(), 'agents-open-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const folder = join(root, 'a')
  mkdirSync(folder)
  const file = join(folder, 'f')
  writeFileSync(file, '', { mode: 0o644 })
  chmodSync(root, 0o755)
  chmodSync(folder, 0o711)
  expect(isOpenToAll(file)).toBe(true)
  chmodSync(root, 0o700)
  expect(isOpenToAll(file)).toBe(false)
  chmodSync(root, 0o755)
  chmodSync(file, 0o600)
  expect(isOpenToAll(file)).toBe(false)
  expect(isOpenToAll(join(folder, 'none'))).toBe(false)
})
