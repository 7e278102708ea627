import { execFile, spawn } from 'node:child_process'
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { buildKey, type GoBuild, goBuilds, type TestbedBinary } from './go-builds.ts'
import { withProcessLock } from './process-lock.ts'

type TestbedBinaries = Readonly<Record<TestbedBinary, string>>

export type Progress = (line: string) => void

/**
 * Paths of the real control plane, built from the Go module proxy at first use (minutes) and cached outside the
 * checkout. Of several concurrent processes one builds and the others wait for it.
 */
export async function ensureBinaries(
  progress: Progress = toStderr,
  env: NodeJS.ProcessEnv = process.env,
): Promise<TestbedBinaries> {
  const paths: Partial<Record<TestbedBinary, string>> = {}
  for (const build of goBuilds) {
    const directory = await ensureBuilt(build, progress, env)
    for (const name of binaryNames(build)) paths[name] = join(directory, name)
  }
  return paths as TestbedBinaries
}

export type Availability =
  | { readonly available: true }
  | { readonly available: false; readonly reason: string }

/** Whether a real cluster can be started here: everything is built already, or an installed Go can build it. */
export async function binariesAvailable(
  env: NodeJS.ProcessEnv = process.env,
): Promise<Availability> {
  const directories = await Promise.all(goBuilds.map((build) => buildDirectory(build, env)))
  if ((await Promise.all(directories.map(exists))).every(Boolean)) return { available: true }
  try {
    const { stdout } = await promisify(execFile)('go', ['env', 'GOVERSION'], {
      env: goEnvironment(env),
    })
    const [, major = '0', minor = '0'] = /^go(\d+)\.(\d+)/.exec(stdout) ?? []
    if (Number(major) > 1 || Number(minor) >= 26) return { available: true }
    return { available: false, reason: `Go 1.26 is needed to build it, this is ${stdout.trim()}` }
  } catch {
    return { available: false, reason: 'it is not built yet, and there is no Go here to build it' }
  }
}

async function ensureBuilt(
  build: GoBuild,
  progress: Progress,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const directory = await buildDirectory(build, env)
  if (await exists(directory)) return directory
  await mkdir(cacheRoot(env), { recursive: true })
  const onWait = (): void => progress(`another process builds ${build.title}, waiting for it`)
  return withProcessLock(join(cacheRoot(env), 'lock.sqlite'), onWait, async () => {
    if (!(await exists(directory))) await buildInto(directory, build, progress, env)
    return directory
  })
}

async function buildInto(
  directory: string,
  build: GoBuild,
  progress: Progress,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const partial = await mkdtemp(join(cacheRoot(env), 'partial-'))
  try {
    // `go build -o dir/` names each binary after its package path, which for etcd is "server".
    for (const [name, source] of Object.entries(build.packages)) {
      await compile(build, { name, source, output: join(partial, name) }, progress, env)
    }
    await rename(partial, directory)
  } finally {
    await rm(partial, { recursive: true, force: true })
  }
}

interface Target {
  readonly name: string
  readonly source: string
  readonly output: string
}

async function compile(
  build: GoBuild,
  { name, source, output }: Target,
  progress: Progress,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const started = performance.now()
  const args = ['build', '-v', ...build.flags, '-o', output, source]
  const child = spawn('go', args, {
    cwd: build.moduleDirectory,
    env: goEnvironment(env),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let packages = 0
  const complaints: string[] = []
  createInterface(child.stderr).on('line', (line) => {
    // With -v every compiled package is one line without a blank; anything else is worth showing on failure.
    if (/^\S+$/.test(line)) packages += 1
    else complaints.push(line)
  })
  const report = (what: string): void => {
    const seconds = Math.round((performance.now() - started) / 1000)
    progress(`${build.title}: ${name} ${what}, ${packages} packages compiled, ${seconds} s`)
  }
  const ticker = setInterval(() => report('is being built (first time only)'), 15_000)
  try {
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code) => {
        if (code === 0) resolve()
        else reject(new Error(`go build ${source} failed:\n${complaints.slice(-40).join('\n')}`))
      })
    })
    report('is built')
  } finally {
    clearInterval(ticker)
  }
}

async function buildDirectory(build: GoBuild, env: NodeJS.ProcessEnv): Promise<string> {
  return join(cacheRoot(env), await buildKey(build))
}

function cacheRoot({ AGENTS_TESTBED_CACHE, XDG_CACHE_HOME }: NodeJS.ProcessEnv): string {
  return join(AGENTS_TESTBED_CACHE || XDG_CACHE_HOME || join(homedir(), '.cache'), 'agents-testbed')
}

// Static binaries from the sources that go.sum names, by the Go that is installed: no compiler, no toolchain download.
function goEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    ...env,
    CGO_ENABLED: '0',
    GOTOOLCHAIN: 'local',
    GOWORK: 'off',
  }
}

function binaryNames(build: GoBuild): TestbedBinary[] {
  return Object.keys(build.packages) as TestbedBinary[]
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

const toStderr: Progress = (line) => void process.stderr.write(`testbed: ${line}\n`)
