import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { headCommit, recordFull, requireFull } from './full-record.ts'

let folder = ''
let root = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agents-record-'))
  root = join(folder, 'checkout')
  git('init', '--quiet', root)
  commit('one')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

function git(...args: readonly string[]): void {
  execFileSync('git', args, { cwd: folder })
}

function commit(message: string): void {
  const author = ['-c', 'user.name=tests', '-c', 'user.email=tests@example.test']
  git('-C', root, ...author, 'commit', '--quiet', '--allow-empty', '-m', message)
}

test('a release needs the record of its commit', () => {
  const records = join(folder, 'records')
  expect(() => requireFull(headCommit(root), records)).toThrow('npm run test:full')
  recordFull(root, records)
  requireFull(headCommit(root), records)
  commit('two')
  expect(() => requireFull(headCommit(root), records)).toThrow(headCommit(root))
})

test('a checkout with uncommitted changes is not recorded', async () => {
  const records = join(folder, 'records')
  await writeFile(join(root, 'new.ts'), '')
  recordFull(root, records)
  expect(() => requireFull(headCommit(root), records)).toThrow('no record')
})
