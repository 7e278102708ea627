import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { access, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { withProcessLock } from '../testbed/process-lock.ts'

/** The parts of OpenAPI 3.0 that are used here. */
export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

export interface Operation {
  readonly operationId: string
  readonly parameters?: readonly unknown[]
  readonly requestBody?: unknown
  readonly responses: Readonly<Record<string, unknown>>
}

const version = '23.0.2'
const integrity =
  'pV8M7L9GY23AybNvTmo2nyjmpmnt6+2sRE/tqr0ZLQcPS4lnw7u5eZGNmwRNkBC3D7gZXbFx5AHzLUVRBXGDhg=='
const file = 'package/generated/api.github.com.json'
const run = promisify(execFile)

/**
 * GitHub's own description of its API, as Octokit publishes it. The package is 400 MB, so it is no dependency: it is
 * fetched at first use, and only what concerns repositories, teams and the user of the token is kept.
 */
export async function githubDescription(env: NodeJS.ProcessEnv): Promise<Description> {
  const root = env.AGENTS_TESTBED_CACHE || env.XDG_CACHE_HOME || join(homedir(), '.cache')
  const cache = join(root, 'agents-testbed')
  const kept = join(cache, `github-api-${version}-teams-user.json`)
  await mkdir(cache, { recursive: true })
  const waits = (): void => void process.stderr.write('github api: another process fetches it\n')
  await withProcessLock(join(cache, 'github-api-lock.sqlite'), waits, async () => {
    if (!(await exists(kept))) await fetchInto(kept, cache, env)
  })
  return JSON.parse(await readFile(kept, 'utf8')) as Description
}

async function fetchInto(kept: string, cache: string, env: NodeJS.ProcessEnv): Promise<void> {
  const partial = await mkdtemp(join(cache, 'partial-'))
  try {
    const args = ['pack', `@octokit/openapi@${version}`, '--ignore-scripts', '--json']
    const packed = await run('npm', args, { cwd: partial, env })
    const [{ filename }] = JSON.parse(packed.stdout) as [{ readonly filename: string }]
    const archive = await readFile(join(partial, filename))
    const found = createHash('sha512').update(archive).digest('base64')
    if (found !== integrity) throw new Error('the description of GitHub is not the pinned one')
    await run('tar', ['xzf', filename, file], { cwd: partial })
    const whole = JSON.parse(await readFile(join(partial, file), 'utf8')) as Description
    const paths = Object.entries(whole.paths).filter(([path]) => isUsed(path))
    const { components } = whole
    const text = JSON.stringify({ paths: Object.fromEntries(paths), components })
    await writeFile(join(partial, 'kept.json'), text)
    await rename(join(partial, 'kept.json'), kept)
  } finally {
    await rm(partial, { recursive: true, force: true })
  }
}

function isUsed(path: string): boolean {
  const used = ['/repos/{owner}/{repo}', '/app/installations', '/orgs/{org}/teams/']
  return path === '/user' || used.some((start) => path.startsWith(start))
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
