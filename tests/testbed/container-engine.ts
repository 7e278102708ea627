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

/** All that are tried, each where it is there. */
export const engineNames = ['podman', 'docker'] as const satisfies readonly EngineName[]

/** A container engine with settings and images of its own: nothing that a person has in theirs is touched. */
export interface TestEngine {
  readonly name: EngineName
  /** All that the engine's program needs, and nothing else of the environment. */
  readonly environment: Readonly<Record<string, string>>
  /** What the tiny image is made of. */
  readonly tinyRoot: string
  /** Waits for the end; fails unless that is good. */
  ask(args: readonly string[], options?: AskOptions): Promise<string>
  /** Makes an image of a folder or of an archive. `changes` are lines of a Dockerfile. */
  importImage(root: string, reference: string, changes?: readonly string[]): Promise<void>
  /** Makes an image by the Dockerfile of a folder, without what earlier ones have left. */
  build(folder: string, reference: string, flags?: readonly string[]): Promise<void>
  /** Ends all its containers and takes away all that it holds. */
  stop(): Promise<void>
}

export interface AskOptions {
  readonly timeoutMs?: number
  readonly cwd?: string
}

/** An engine as it is before its first image: one of the ways in which it might run. */
export interface EngineStart {
  readonly environment: Readonly<Record<string, string>>
  readonly buildFlags: readonly string[]
  /** Ends what runs. Its folder is taken away by others. */
  stop(): Promise<void>
}

/** Of the machine's own shell and programs. */
export const tinyImage = 'localhost/agents-test/tiny:1'

/** The engine, with a storage of its own and the tiny image in it. Where it does not run, the answer is a sentence that says why. */
export async function startTestEngine(name: EngineName): Promise<TestEngine | string> {
  if (process.platform !== 'linux') return `${name} is tried on Linux only`
  const version = await run(name, ['--version']).catch(() => undefined)
  if (version === undefined) return `there is no ${name} on this machine`
  const folder = await mkdtemp(join(tmpdir(), 'agents-engine-'))
  // The folders of images are looked into by their users.
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
      // Not every engine can be told all that a Dockerfile may say when it imports.
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
