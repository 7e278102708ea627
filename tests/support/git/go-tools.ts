import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { access, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { withProcessLock } from '../testbed/process-lock.ts'

const packages = {
  sops: 'github.com/getsops/sops/v3/cmd/sops',
  age: 'filippo.io/age/cmd/age',
  'age-keygen': 'filippo.io/age/cmd/age-keygen',
} as const

export type GoTools = Readonly<Record<keyof typeof packages, string>>

const moduleDirectory = join(import.meta.dirname, 'go')
const flags = ['-trimpath', '-ldflags', '-s -w']
const run = promisify(execFile)

/**
 * Paths of the real programs, built from the Go module proxy at first use (minutes) and cached outside the checkout.
 */
export async function ensureGoTools(env: NodeJS.ProcessEnv): Promise<GoTools> {
  const cache = join(
    env.AGENTS_TESTBED_CACHE || env.XDG_CACHE_HOME || join(homedir(), '.cache'),
    'agents-testbed',
  )
  const directory = join(cache, `git-${await buildKey()}`)
  await mkdir(cache, { recursive: true })
  const waits = (): void => void process.stderr.write('git tools: another process builds them\n')
  await withProcessLock(join(cache, 'git-lock.sqlite'), waits, async () => {
    if (!(await exists(directory))) await build(directory, cache, env)
  })
  const paths = Object.keys(packages).map((name) => [name, join(directory, name)])
  return Object.fromEntries(paths) as GoTools
}

async function build(directory: string, cache: string, env: NodeJS.ProcessEnv): Promise<void> {
  const partial = await mkdtemp(join(cache, 'partial-'))
  try {
    for (const [name, source] of Object.entries(packages)) {
      process.stderr.write(`git tools: building ${name} (first time only)\n`)
      await run('go', ['build', ...flags, '-o', join(partial, name), source], {
        cwd: moduleDirectory,
        env: { ...env, CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOWORK: 'off' },
      })
    }
    await rename(partial, directory)
  } finally {
    await rm(partial, { recursive: true, force: true })
  }
}

async function buildKey(): Promise<string> {
  const hash = createHash('sha256')
  for (const file of ['go.mod', 'go.sum']) hash.update(await readFile(join(moduleDirectory, file)))
  hash.update(JSON.stringify([packages, flags, process.platform, process.arch]))
  return hash.digest('hex').slice(0, 16)
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
