import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { withCheckout } from './checkout.ts'

let root = ''

async function git(...args: readonly string[]): Promise<string> {
  const identity = ['-c', 'user.name=test', '-c', 'user.email=test@example.com']
  const { stdout } = await promisify(execFile)('git', ['-C', root, ...identity, ...args])
  return stdout
}

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'agents-checkout-')))
  await git('init', '--quiet')
  await writeFile(join(root, 'package.json'), '{"workspaces":["packages/*"]}')
  await mkdir(join(root, 'packages', 'one'), { recursive: true })
  await writeFile(join(root, 'packages', 'one', 'package.json'), '{"name":"@agents/one"}')
  await mkdir(join(root, 'node_modules', 'other'), { recursive: true })
  await git('add', 'package.json', 'packages')
  await git('commit', '--quiet', '--message', 'first')
})
afterEach(() => rm(root, { recursive: true, force: true }))

test('a ref is checked out with its own workspaces, and removed afterwards', async () => {
  await rm(join(root, 'packages'), { recursive: true })
  const folder = await withCheckout(root, 'HEAD', async (checkout) => {
    const modules = join(await realpath(checkout), 'node_modules')
    expect(await realpath(join(modules, '@agents', 'one'))).toBe(
      join(await realpath(checkout), 'packages', 'one'),
    )
    expect(await realpath(join(modules, 'other'))).toBe(join(root, 'node_modules', 'other'))
    expect(await readFile(join(checkout, 'package.json'), 'utf8')).toContain('workspaces')
    return checkout
  })
  expect(existsSync(folder)).toBe(false)
  expect((await git('worktree', 'list')).trim().split('\n')).toHaveLength(1)
})

test('nothing is left behind when the comparison fails', async () => {
  const failing = withCheckout(root, 'HEAD', () => Promise.reject(new Error('broken')))
  await expect(failing).rejects.toThrow('broken')
  expect((await git('worktree', 'list')).trim().split('\n')).toHaveLength(1)
})

test('an unknown ref is an error that names it', async () => {
  await expect(withCheckout(root, 'no-such-ref', async () => 1)).rejects.toThrow('no-such-ref')
})
