import { createWriteStream } from 'node:fs'
import { join, relative } from 'node:path'
import { whenAborted } from '@agents/controller'
import type { EngineName } from '@agents/local-node'
import { createLogger, type Logger } from '@agents/log'
import { CommandFailure } from '../cli/command-failure.ts'
import { exitCode } from '../cli/exit-code.ts'
import type { World } from '../cli/world.ts'
import { mirrorCommands } from '../mirror/mirror-commands.ts'
import { type MirrorRepository, mirrorRepository } from '../mirror/mirror-repository.ts'
import { askPlatform } from './ask-platform.ts'
import { examineRuntime } from './container-runtime.ts'
import { type ControlServer, startControlServer } from './control-server.ts'
import { controllersPart } from './controllers-part.ts'
import { databasePart } from './database-part.ts'
import { gitTargetPart } from './git-target-part.ts'
import { startLocalPlatform } from './local-platform.ts'
import { nodePart } from './node-part.ts'
import { readPlatformRecord, removePlatformRecord, writePlatformRecord } from './platform-record.ts'
import { isSampleDue, sampleRun, showSample } from './sample.ts'
import { openStateFolder, type StateFolder } from './state-folder.ts'

export interface PlatformWishes {
  readonly stateDir: string
  readonly port: number | undefined
  readonly kubeconfig: string | undefined
  readonly sample: boolean
  readonly verbose: boolean
  readonly containerRuntime: EngineName | undefined
  /** Where the platform's own resources are mirrored to: a folder, or a URL. */
  readonly mirror: string | undefined
}

/** The platform from its beginning to Ctrl-C. Resolves to the exit code. */
export async function runPlatform(wishes: PlatformWishes, world: World): Promise<number> {
  await refuseSecond(wishes.stateDir)
  const folder = await openStateFolder(wishes.stateDir)
  const { log, close } = openLog(folder, wishes, world)
  const stopping = new AbortController()
  const control = await startControlServer(() => stopping.abort(new Error('told to stop')))
  const failure: { error?: unknown } = {}
  const onFailure = (error: unknown): void => {
    failure.error ??= error
    stopping.abort(error)
  }
  const run: Run = {
    wishes,
    world,
    folder,
    log,
    control,
    stop: AbortSignal.any([world.stop, stopping.signal]),
    onFailure,
    onMilestone: (what) => {
      const afterMs = Math.round(world.elapsedMs())
      log.info(what, { afterMs })
      if (!wishes.verbose) return
      world.stderr.write(world.stderr.style.dim(`[${String(afterMs).padStart(5)} ms] ${what}\n`))
    },
  }
  try {
    await serve(run)
  } finally {
    control.close()
    await close()
  }
  if (failure.error !== undefined) throw broken(failure.error, folder)
  world.stderr.write('Stopped. Everything is kept: agentctl up goes on where it was.\n')
  return exitCode.done
}

/** What belongs to one run of the platform. */
interface Run {
  readonly wishes: PlatformWishes
  readonly world: World
  readonly folder: StateFolder
  readonly log: Logger
  readonly control: ControlServer
  /** Ctrl-C, `agentctl down`, or a part that has failed. */
  readonly stop: AbortSignal
  readonly onFailure: (error: unknown) => void
  readonly onMilestone: (what: string) => void
}

async function serve({ wishes, world, folder, log, control, stop, ...tell }: Run): Promise<void> {
  tell.onMilestone('begin')
  const mirror =
    wishes.mirror === undefined
      ? undefined
      : await mirrorRepository(wishes.mirror, world.workingDirectory)
  const { containerRuntime: runtime } = wishes
  const missingImage = runtime && (await examineRuntime(runtime, world.environment)).missingImage
  const database = databasePart(stop)
  const platform = await startLocalPlatform({
    folder,
    port: wishes.port,
    kubeconfig: wishes.kubeconfig,
    parts: [
      nodePart(runtime),
      database.part,
      controllersPart(database.archive),
      gitTargetPart(mirror),
    ],
    log,
    environment: world.environment,
    ...tell,
  })
  try {
    await writePlatformRecord(folder.root, {
      pid: process.pid,
      url: platform.url,
      kubeconfig: platform.kubeconfig,
      controlPort: control.port,
      token: control.token,
      startedAt: world.now().toISOString(),
    })
    tell.onMilestone('ready')
    const place = shortPath(folder.root, world)
    world.stderr.write(`The platform runs at ${platform.url}, with its state in ${place}.\n`)
    if (runtime !== undefined && missingImage !== undefined) {
      world.stderr.write(runsWait(runtime, missingImage))
    } else if (wishes.sample && isSampleDue(folder)) {
      world.stderr.write('A first run, by a scripted agent that needs no key:\n\n')
      await showSample(platform.client, folder, world, stop)
      tell.onMilestone('sample shown')
    }
    platform.startBackground()
    world.stdout.write(nextCommands(platform.kubeconfig, folder, mirror, world))
    await whenAborted(stop)
  } catch (error) {
    if (!stop.aborted) throw error
  } finally {
    if (world.stop.aborted) world.stderr.write('\nStopping; Ctrl-C again does not wait.\n')
    await platform.stop()
    await removePlatformRecord(folder.root)
    tell.onMilestone('stopped')
  }
}

async function refuseSecond(stateDir: string): Promise<void> {
  const record = await readPlatformRecord(stateDir)
  if (record === undefined || (await askPlatform(record, 'identity')) === 'gone') return
  throw new CommandFailure(
    `the platform in ${stateDir} runs already: process ${record.pid}, at ${record.url}, since ${record.startedAt}`,
    {
      advice: [
        `To use it: export KUBECONFIG=${record.kubeconfig}`,
        'To stop it: agentctl down. For another one beside it: agentctl up --state-dir DIR',
      ],
    },
  )
}

function openLog(
  folder: StateFolder,
  { verbose }: PlatformWishes,
  { stderr }: World,
): { log: Logger; close(): Promise<void> } {
  const file = createWriteStream(folder.log, { flags: 'a', mode: 0o600 })
  // Something may still have a last word to say when all has been closed.
  const sink = { write: (line: string) => file.writable && file.write(line) }
  const log = createLogger({ sink, level: verbose ? 'debug' : 'info' })
  const close = () => new Promise<void>((resolve) => file.end(resolve))
  file.on('error', (error) => stderr.write(`${folder.log} cannot be written: ${error.message}\n`))
  return { log, close }
}

function nextCommands(
  kubeconfig: string,
  { root }: StateFolder,
  mirror: MirrorRepository | undefined,
  world: World,
): string {
  const { style } = world.stdout
  // Where agentctl does not look by itself it needs to be told, as kubectl always does.
  const isFound = root === join(world.checkout, '.state')
  const ofMirror = mirror && mirrorCommands(mirror, quoted)
  const own = [
    ['npx agentctl get runs', 'what ran'],
    [`npx agentctl explain run ${sampleRun}`, 'why it went as it did'],
    ['npx agentctl run --agent scripted --text "Greet the reader"', 'run another'],
    ...(ofMirror?.own ?? []),
  ]
  const tell = [
    [
      `export KUBECONFIG=${quoted(kubeconfig)}`,
      isFound ? 'for kubectl, helm and all the others:' : 'for all that follows:',
    ],
  ]
  const others = [
    ['kubectl get agentruns -n agents', 'the same through kubectl'],
    ...(ofMirror?.kubectl ?? []),
  ]
  const commands = isFound ? [...own, ...tell, ...others] : [...tell, ...own, ...others]
  const lengths = commands.map(([command = '']) => command.length)
  // One that is very long must not push all the others' words off the screen.
  const width = Math.max(...lengths.filter((length) => length <= LONGEST))
  const lines = commands.map(
    ([command = '', does = '']) => `  ${command.padEnd(width)}   ${style.dim(`# ${does}`)}\n`,
  )
  return `\nIn a second terminal:\n\n${lines.join('')}\nCtrl-C stops it here.\n`
}

const LONGEST = 80

/** For a shell, where that needs it. */
function quoted(path: string): string {
  return /^[\w./@%+=:,-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}

function runsWait(runtime: EngineName, image: string): string {
  return (
    `${runtime} has no image ${image}, so runs that name no image of their own wait for it.\n` +
    `To make it, in the checkout: ${runtime} build --tag ${image} .\n`
  )
}

function shortPath(path: string, { workingDirectory }: World): string {
  const short = relative(workingDirectory, path)
  return short.startsWith('..') || short === '' ? path : short
}

function broken(cause: unknown, { log }: StateFolder): CommandFailure {
  const advice = [`Its log says more: ${log}`]
  return new CommandFailure('a part of the platform has failed, so it was stopped', {
    cause,
    advice,
    code: exitCode.internal,
  })
}
