import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { access, cp, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { withProcessLock } from '../testbed/process-lock.ts'

export interface GiteaProgram {
  readonly path: string
  /** Templates and texts, which a program without embedded files reads at run time. */
  readonly staticRoot: string
}

const module = 'code.gitea.io/gitea'
const moduleDirectory = join(import.meta.dirname, 'go')
const flags = ['-trimpath', '-tags', 'sqlite sqlite_unlock_notify', '-ldflags', '-s -w']
const staticFolders = ['options', 'public', 'templates']
const run = promisify(execFile)

/**
 * The real Gitea, built from its Go module at first use (minutes) and cached outside the checkout. Needs a C compiler
 * for SQLite.
 */
export async function ensureGitea(env: NodeJS.ProcessEnv): Promise<GiteaProgram> {
  const cache = join(
    env.AGENTS_TESTBED_CACHE || env.XDG_CACHE_HOME || join(homedir(), '.cache'),
    'agents-testbed',
  )
  const directory = join(cache, `gitea-${await buildKey()}`)
  await mkdir(cache, { recursive: true })
  const waits = (): void => void process.stderr.write('gitea: another process builds it\n')
  await withProcessLock(join(cache, 'gitea-lock.sqlite'), waits, async () => {
    if (!(await exists(directory))) await build(directory, cache, env)
  })
  return { path: join(directory, 'gitea'), staticRoot: directory }
}

/** A program is built in its own module, with the versions that it pins; only a copy of it can be written to. */
async function build(directory: string, cache: string, env: NodeJS.ProcessEnv): Promise<void> {
  process.stderr.write('gitea: building it (first time only, minutes)\n')
  const goEnv = { ...env, CGO_ENABLED: '1', GOTOOLCHAIN: 'local', GOWORK: 'off' }
  const downloaded = await run('go', ['mod', 'download', '-json', module], {
    cwd: moduleDirectory,
    env: goEnv,
  })
  const { Dir: original } = JSON.parse(downloaded.stdout) as { readonly Dir: string }
  const sources = await mkdtemp(join(cache, 'partial-'))
  const partial = await mkdtemp(join(cache, 'partial-'))
  try {
    await run('cp', ['-r', '--no-preserve=mode', `${original}/.`, sources])
    const args = ['build', ...flags, '-o', join(partial, 'gitea'), '.']
    await run('go', args, { cwd: sources, env: goEnv, maxBuffer: 64 * 1024 * 1024 })
    for (const folder of staticFolders) {
      await cp(join(sources, folder), join(partial, folder), { recursive: true })
    }
    await rename(partial, directory)
  } finally {
    await rm(sources, { recursive: true, force: true })
    await rm(partial, { recursive: true, force: true })
  }
}

export async function giteaVersion(): Promise<string> {
  const pinned = await readFile(join(moduleDirectory, 'go.mod'), 'utf8')
  const [, version] = /code\.gitea\.io\/gitea v(\S+)/.exec(pinned) ?? []
  if (version === undefined) throw new Error('go.mod does not pin Gitea')
  return version
}

async function buildKey(): Promise<string> {
  const hash = createHash('sha256')
  for (const file of ['go.mod', 'go.sum']) hash.update(await readFile(join(moduleDirectory, file)))
  hash.update(JSON.stringify([flags, staticFolders, process.platform, process.arch]))
  return hash.digest('hex').slice(0, 16)
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
