import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Checks out a Git ref beside the checkout, ready to be run, for as long as `use` takes. */
export async function withCheckout<Result>(
  root: string,
  ref: string,
  use: (folder: string) => Promise<Result>,
): Promise<Result> {
  const temporary = await mkdtemp(join(tmpdir(), 'agents-surface-'))
  const folder = join(temporary, 'checkout')
  try {
    await run('git', ['-C', root, 'worktree', 'add', '--quiet', '--detach', folder, ref])
    await linkPackages(root, folder)
    return await use(folder)
  } finally {
    await rm(temporary, { recursive: true, force: true })
    await run('git', ['-C', root, 'worktree', 'prune'])
  }
}

/** Links the packages that npm has installed here, with the workspaces of the other checkout. */
async function linkPackages(root: string, folder: string): Promise<void> {
  const modules = join(folder, 'node_modules')
  await mkdir(join(modules, '@agents'), { recursive: true })
  const installed = await readdir(join(root, 'node_modules'))
  for (const name of installed.filter((entry) => entry !== '@agents')) {
    await symlink(join(root, 'node_modules', name), join(modules, name))
  }
  const { workspaces } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  for (const pattern of workspaces as readonly string[]) {
    for (const manifest of globSync(`${pattern}/package.json`, { cwd: folder })) {
      const { name } = JSON.parse(await readFile(join(folder, manifest), 'utf8'))
      await symlink(join(folder, dirname(manifest)), join(modules, name))
    }
  }
}
