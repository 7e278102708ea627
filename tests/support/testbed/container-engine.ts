import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { EngineName } from '@agents/local-node'
import { startDocker } from './docker-engine.ts'
import { removeEngineFolder } from './engine-folder.ts'
import { preparePodman } from './podman-engine.ts'
import { makeTinyRoot } from './tiny-root.ts'

const run = promisify(execFile)

/** The engines that are tested where they are installed. */
export const engineNames = ['podman', 'docker'] as const satisfies readonly EngineName[]

/** A container engine with separate settings and images, so that those of the user are not touched. */
export interface TestEngine {
  readonly name: EngineName
  /** The environment of the engine's CLI; nothing else is inherited. */
  readonly environment: Readonly<Record<string, string>>
  /** Root folder of the tiny image. */
  readonly tinyRoot: string
  /** Runs the CLI to completion; rejects if it fails. */
  ask(args: readonly string[], options?: AskOptions): Promise<string>
  /** Creates an image from a folder or an archive. `changes` are lines of a Dockerfile. */
  importImage(root: string, reference: string, changes?: readonly string[]): Promise<void>
  /** Builds the Dockerfile of a folder without a cache. */
  build(folder: string, reference: string, flags?: readonly string[]): Promise<void>
  /** Stops all containers and removes everything that the engine stores. */
  stop(): Promise<void>
}

interface AskOptions {
  readonly timeoutMs?: number
  readonly cwd?: string
}

/** A started engine without images, in one of the configurations in which it may run. */
export interface EngineStart {
  readonly environment: Readonly<Record<string, string>>
  readonly buildFlags: readonly string[]
  /** Stops the engine. The caller removes its folder. */
  stop(): Promise<void>
}

/** An image that contains the machine's own shell and programs. */
export const tinyImage = 'localhost/agents-test/tiny:1'

/**
 * Starts the engine with separate storage and imports the tiny image. Returns the reason as a string if the engine does
 * not run.
 */
export async function startTestEngine(name: EngineName): Promise<TestEngine | string> {
  if (process.platform !== 'linux') return `${name} is tried on Linux only`
  const version = await run(name, ['--version']).catch(() => undefined)
  if (version === undefined) return `there is no ${name} on this machine`
  const folder = await mkdtemp(join(tmpdir(), 'agents-engine-'))
  // The users of containers need access to the folders of their images.
  await chmod(folder, 0o755)
  await makeTinyRoot(join(folder, 'tiny'))
  let problem = ''
  for (const start of name === 'podman' ? preparePodman(folder) : [() => startDocker(folder)]) {
    try {
      return await firstRun(name, folder, await start())
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error)
    }
  }
  await removeEngineFolder(folder)
  return `${name} does not run containers on this machine: ${problem}`
}

async function firstRun(name: EngineName, folder: string, start: EngineStart): Promise<TestEngine> {
  const engine = engineOf(name, folder, start)
  try {
    await engine.importImage(engine.tinyRoot, tinyImage)
    await engine.ask(['run', '--rm', '--network', 'host', '--pull', 'never', tinyImage, 'true'])
    return engine
  } catch (error) {
    await start.stop()
    throw error
  }
}

function engineOf(name: EngineName, folder: string, start: EngineStart): TestEngine {
  const { environment, buildFlags } = start
  const ask: TestEngine['ask'] = async (args, { timeoutMs = 120_000, cwd = folder } = {}) => {
    const options = { env: environment, timeout: timeoutMs, maxBuffer: 1 << 26, cwd }
    return (await run(name, args, options)).stdout
  }
  const build: TestEngine['build'] = async (context, reference, flags = []) => {
    const all = ['--network=host', ...buildFlags, ...flags, '--tag', reference]
    await ask(['build', ...all, '.'], { cwd: context, timeoutMs: 500_000 })
  }
  return {
    name,
    environment,
    tinyRoot: join(folder, 'tiny'),
    ask,
    build,
    importImage: async (root, reference, changes = []) => {
      const place = await mkdtemp(join(folder, 'import-'))
      await ask(['import', await archiveOf(root, place), reference])
      await rm(place, { recursive: true })
      if (changes.length === 0) return
      // Not every engine supports all Dockerfile instructions when it imports.
      await mkdir(place)
      await writeFile(join(place, 'Dockerfile'), [`FROM ${reference}`, ...changes, ''].join('\n'))
      await build(place, reference)
    },
    stop: async () => {
      await start.stop()
      await removeEngineFolder(folder)
    },
  }
}

async function archiveOf(root: string, context: string): Promise<string> {
  if ((await stat(root)).isFile()) return root
  const path = join(context, 'root.tar')
  const owners = ['--owner=0', '--group=0']
  await run('tar', ['--create', '--file', path, ...owners, '--directory', root, '.'])
  return path
}
