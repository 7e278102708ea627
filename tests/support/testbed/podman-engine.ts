import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { EngineStart } from './container-engine.ts'
import { removeEngineFolder } from './engine-folder.ts'

/** The configurations in which podman may run on this machine, each with separate storage. */
export function preparePodman(folder: string): (() => Promise<EngineStart>)[] {
  return possibleSettings().map((settings, index) => async () => {
    const storage = join(folder, `storage-${index}`)
    const env = await writeSettings(folder, storage, settings)
    const ask = (args: readonly string[]) => promisify(execFile)('podman', args, { env })
    return {
      environment: env,
      buildFlags: ['--layers=false'],
      stop: async () => {
        await ask(['rm', '--all', '--force', '--time', '0']).catch(() => undefined)
        await ask(['rmi', '--all', '--force']).catch(() => undefined)
        await removeEngineFolder(storage)
      },
    }
  })
}

interface Settings {
  readonly driver: string
  readonly runtime?: string
  readonly ulimits?: string
}

/**
 * The usual settings first; then those for machines where limits cannot be raised or whose cgroups crun does not
 * support.
 */
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

/** Locks are files, because podman shares locks in shared memory between all instances of a user. */
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
