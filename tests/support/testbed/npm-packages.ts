import { execFile } from 'node:child_process'
import { access, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { withProcessLock } from './process-lock.ts'

const run = promisify(execFile)

/**
 * Packages that tests use and that are no part of an installation, since they are large or have other licences than
 * ours. They are installed at first use, outside of the checkout, without running their scripts. Returns the folder of
 * `node_modules`.
 */
export async function ensurePackages(
  name: string,
  packages: Readonly<Record<string, string>>,
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  const root = env.AGENTS_TESTBED_CACHE || env.XDG_CACHE_HOME || join(homedir(), '.cache')
  const cache = join(root, 'agents-testbed')
  const folder = join(cache, `${name}-${Object.values(packages).join('-')}`)
  await mkdir(cache, { recursive: true })
  const waits = (): void => void process.stderr.write(`${name}: another process installs it\n`)
  await withProcessLock(join(cache, `${name}-lock.sqlite`), waits, async () => {
    const exists = await access(folder).then(
      () => true,
      () => false,
    )
    if (exists) return
    process.stderr.write(`${name}: installing it (first time only)\n`)
    const partial = `${folder}.partial`
    await rm(partial, { recursive: true, force: true })
    await mkdir(partial)
    await writeFile(join(partial, 'package.json'), '{"private": true}\n')
    const wanted = Object.entries(packages).map(([one, version]) => `${one}@${version}`)
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--save-exact']
    await run('npm', ['install', ...flags, ...wanted], { cwd: partial, env })
    await rename(partial, folder)
  })
  return join(folder, 'node_modules')
}
