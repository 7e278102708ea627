import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { EngineName } from '@agents/local-node'

/** A container engine with settings and images of its own: nothing that a person has in theirs is touched. */
export interface TestEngine {
  readonly name: EngineName
  /** All that the engine's program needs, and nothing else of the environment. */
  readonly environment: Readonly<Record<string, string>>
  /** What the tiny image is made of. */
  readonly tinyRoot: string
  /** Waits for the end; fails unless that is good. */
  ask(args: readonly string[], options?: { timeoutMs?: number; cwd?: string }): Promise<string>
  /** Its output is its caller's affair. */
  start(args: readonly string[]): ChildProcess
  /** Makes an image of a folder. `changes` are lines of a Dockerfile. */
  importImage(folder: string, reference: string, changes?: readonly string[]): Promise<void>
  /** Ends all its containers and takes away all that it holds. */
  stop(): Promise<void>
}

/** Of the machine's own shell and programs. */
export const tinyImage = 'localhost/agents-test/tiny:1'

/**
 * Podman, with a storage of its own and the tiny image in it. Where it does not run, the answer is a sentence that says why. Docker
 * has one storage for the whole machine, so nothing is tried with it.
 */
export async function startTestEngine(): Promise<TestEngine | string> {
  if (process.platform !== 'linux') return 'podman is tried on Linux only'
  const version = await promisify(execFile)('podman', ['--version']).catch(() => undefined)
  if (version === undefined) return 'there is no podman on this machine'
  const folder = await mkdtemp(join(tmpdir(), 'agents-engine-'))
  // The folders of images are looked into by their users.
  await chmod(folder, 0o755)
  await makeTinyRoot(join(folder, 'tiny'))
  let problem = ''
  for (const [index, settings] of possibleSettings().entries()) {
    const storage = join(folder, `storage-${index}`)
    const engine = await engineIn(folder, storage, settings)
    try {
      await engine.importImage(join(folder, 'tiny'), tinyImage)
      await engine.ask(['run', '--rm', '--network', 'host', '--pull', 'never', tinyImage, 'true'])
      return engine
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error)
      await removeFolder(storage)
    }
  }
  await removeFolder(folder)
  return `podman does not run containers on this machine: ${problem}`
}

interface Settings {
  readonly driver: string
  readonly runtime?: string
  readonly ulimits?: string
}

/** Those of a usual machine first; then for one where limits cannot be raised, or whose cgroups crun does not take. */
function possibleSettings(): Settings[] {
  const hasOverlay = readFileSync('/proc/filesystems', 'utf8').includes('\toverlay\n')
  const drivers = hasOverlay && process.getuid?.() === 0 ? ['overlay', 'vfs'] : ['vfs']
  const ulimits = '"nofile=1024:1024", "nproc=1024:1024"'
  return drivers.flatMap((driver) => [
    { driver },
    { driver, ulimits },
    { driver, ulimits, runtime: 'runc' },
  ])
}

async function engineIn(folder: string, storage: string, settings: Settings): Promise<TestEngine> {
  const environment = await writeSettings(folder, storage, settings)
  const ask: TestEngine['ask'] = async (args, { timeoutMs = 120_000, cwd = folder } = {}) => {
    const options = { env: environment, timeout: timeoutMs, maxBuffer: 1 << 26, cwd }
    const { stdout } = await promisify(execFile)('podman', args, options)
    return stdout
  }
  return {
    name: 'podman',
    environment,
    tinyRoot: join(folder, 'tiny'),
    ask,
    start: (args) => spawn('podman', args, { env: environment, cwd: folder }),
    importImage: async (root, reference, changes = []) => {
      const flags = changes.flatMap((change) => ['--change', change])
      const line =
        'tar --create --owner=0 --group=0 --directory "$0" . | podman import --quiet "$@"'
      await promisify(execFile)('sh', ['-c', line, root, ...flags, '-', reference], {
        env: environment,
        maxBuffer: 1 << 24,
      })
    },
    stop: async () => {
      await ask(['rm', '--all', '--force', '--time', '0'])
      await ask(['rmi', '--all', '--force'])
      await removeFolder(folder)
    },
  }
}

/**
 * Podman leaves a mount on the folder of its layers, and a program that makes it once more after a container has ended. What cannot be
 * taken away within half a minute stays where temporary files are.
 */
async function removeFolder(folder: string): Promise<void> {
  for (let tries = 0; tries < 150; tries += 1) {
    for (const mount of await mountsIn(folder)) {
      await promisify(execFile)('umount', ['--lazy', mount]).catch(() => undefined)
    }
    if (await removed(folder)) return
    await delay(200)
  }
}

async function mountsIn(folder: string): Promise<string[]> {
  const lines = (await readFile('/proc/self/mounts', 'utf8')).split('\n')
  return lines.map((line) => line.split(' ')[1] ?? '').filter((path) => path.startsWith(folder))
}

/** Files of users whom only podman can be are taken away by it. */
async function removed(folder: string): Promise<boolean> {
  if (process.getuid?.() !== 0) {
    await promisify(execFile)('podman', ['unshare', 'rm', '-rf', folder]).catch(() => undefined)
  }
  return rm(folder, { recursive: true, force: true }).then(
    () => true,
    () => false,
  )
}

/** Locks in files: those in shared memory belong to all of a user's podmans together. */
async function writeSettings(
  folder: string,
  storage: string,
  { driver, runtime, ulimits }: Settings,
) {
  await mkdir(storage, { recursive: true })
  const engine = [`tmp_dir = "${join(storage, 'tmp')}"`, 'lock_type = "file"']
  if (runtime !== undefined) engine.push(`runtime = "${runtime}"`)
  const containers = ulimits === undefined ? [] : [`default_ulimits = [${ulimits}]`]
  const config = ['[containers]', ...containers, '[engine]', ...engine, ''].join('\n')
  await writeFile(join(folder, 'containers.conf'), config)
  const places = [`graphroot = "${join(storage, 'root')}"`, `runroot = "${join(storage, 'run')}"`]
  const stores = ['[storage]', `driver = "${driver}"`, ...places, ''].join('\n')
  await writeFile(join(folder, 'storage.conf'), stores)
  const { PATH = '', XDG_RUNTIME_DIR } = process.env
  return {
    PATH,
    HOME: folder,
    ...(XDG_RUNTIME_DIR !== undefined && { XDG_RUNTIME_DIR }),
    CONTAINERS_CONF: join(folder, 'containers.conf'),
    CONTAINERS_STORAGE_CONF: join(folder, 'storage.conf'),
  }
}

const programs =
  'sh cat chmod dd echo env head hostname id ls mkdir printf pwd seq sleep stat tail touch true'

/** The machine's own programs, with the libraries that they load: no image has to come from anywhere. */
async function makeTinyRoot(root: string): Promise<void> {
  for (const name of ['bin', 'etc', 'tmp', 'root'])
    await mkdir(join(root, name), { recursive: true })
  await chmod(join(root, 'tmp'), 0o1777)
  await writeFile(
    join(root, 'etc', 'passwd'),
    'root:x:0:0::/root:/bin/sh\napp:x:1234:1234::/:/bin/sh\n',
  )
  await writeFile(join(root, 'etc', 'group'), 'root:x:0:\napp:x:1234:\n')
  const run = promisify(execFile)
  const libraries = new Set<string>()
  for (const name of programs.split(' ')) {
    const file = (await run('which', [name])).stdout.trim()
    await copyFile(file, join(root, 'bin', name))
    // A program without libraries is none that ldd can say anything about.
    const { stdout } = await run('ldd', [file]).catch(() => ({ stdout: '' }))
    for (const [, library = ''] of stdout.matchAll(/(\/\S+) \(0x/g)) libraries.add(library)
  }
  for (const library of libraries) {
    await mkdir(join(root, dirname(library)), { recursive: true })
    await copyFile(library, join(root, library))
    await linkLibrary(root, library)
  }
}

/** Where `/lib` is a link on the machine, the loader may look in either place. */
async function linkLibrary(root: string, library: string): Promise<void> {
  if (!library.startsWith('/usr/')) return
  const place = join(root, dirname(library).slice('/usr'.length))
  await mkdir(place, { recursive: true })
  await symlink(library, join(place, basename(library))).catch(() => undefined)
}
