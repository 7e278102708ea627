import { createWriteStream, existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { whenAborted } from '@agents/controller'
import type { EngineName } from '@agents/local-node'
import { createLogger, type Logger } from '@agents/log'
import type { CommandContext } from '../cli/command-context.ts'
import { CommandFailure } from '../cli/command-failure.ts'
import { exitCode } from '../cli/exit-code.ts'
import { applyMirror } from '../mirror/apply-mirror.ts'
import { mirrorCommands } from '../mirror/mirror-commands.ts'
import { type MirrorRepository, mirrorRepository } from '../mirror/mirror-repository.ts'
import {
  readPlatformRecord,
  removePlatformRecord,
  writePlatformRecord,
} from '../running-platform/platform-record.ts'
import { queryPlatform } from '../running-platform/query-platform.ts'
import { apiPart } from './api-part.ts'
import { examineRuntime } from './container-runtime.ts'
import { type ControlServer, startControlServer } from './control-server.ts'
import { controllersPart } from './controllers-part.ts'
import { databasePart, type LocalDatabase } from './database-part.ts'
import { gitTargetPart } from './git-target-part.ts'
import { startLocalPlatform } from './local-platform.ts'
import { nodePart } from './node-part.ts'
import { isSampleDue, sampleExists, sampleRun, showSample } from './sample.ts'
import { openStateFolder, type StateFolder } from './state-folder.ts'

export interface PlatformOptions {
  readonly stateDir: string
  readonly port: number | undefined
  /** Of the HTTP API. */
  readonly httpPort: number | undefined
  readonly kubeconfig: string | undefined
  readonly sample: boolean
  readonly verbose: boolean
  readonly containerRuntime: EngineName | undefined
  /** Where the platform's own resources are mirrored to: a folder, or a URL. */
  readonly mirror: string | undefined
}

/** Runs the platform until it is stopped. Resolves to the exit code. */
export async function runPlatform(
  options: PlatformOptions,
  context: CommandContext,
): Promise<number> {
  await refuseSecond(options.stateDir, context)
  context.stopInOrder()
  const folder = await openStateFolder(options.stateDir)
  const { log, close } = openLog(folder, options, context)
  const stopping = new AbortController()
  const stop = AbortSignal.any([context.stop, stopping.signal])
  const database = databasePart(stop)
  const control = await startControlServer(
    () => stopping.abort(new Error('stopped by agentctl down')),
    () => ({ database: database.state() }),
  )
  const failure: { error?: unknown } = {}
  const onFailure = (error: unknown): void => {
    failure.error ??= error
    stopping.abort(error)
  }
  const run: Run = {
    options,
    context,
    folder,
    log,
    control,
    database,
    stop,
    onFailure,
    onMilestone: (what) => {
      const afterMs = Math.round(context.elapsedMs())
      log.info(what, { afterMs })
      if (!options.verbose) return
      context.stderr.write(
        context.stderr.style.dim(`[${String(afterMs).padStart(5)} ms] ${what}\n`),
      )
    },
  }
  try {
    await serve(run)
  } finally {
    control.close()
    await close()
  }
  if (failure.error !== undefined) throw broken(failure.error, folder)
  context.stderr.write('Stopped. All state is kept, and agentctl up continues with it.\n')
  return exitCode.done
}

/** The dependencies and state of one run of the platform. */
interface Run {
  readonly options: PlatformOptions
  readonly context: CommandContext
  readonly folder: StateFolder
  readonly log: Logger
  readonly control: ControlServer
  readonly database: LocalDatabase
  /** Ctrl-C, `agentctl down`, or a part that has failed. */
  readonly stop: AbortSignal
  readonly onFailure: (error: unknown) => void
  readonly onMilestone: (what: string) => void
}

async function serve(run: Run): Promise<void> {
  const { options, context, folder, log, control, database, stop, ...callbacks } = run
  callbacks.onMilestone('begin')
  const mirror =
    options.mirror === undefined
      ? undefined
      : await mirrorRepository(options.mirror, context.workingDirectory)
  const { containerRuntime: runtime } = options
  const missingImage = runtime && (await examineRuntime(runtime, context.environment)).missingImage
  const consoleDir =
    context.environment.JANGAR_API_CONSOLE_DIR || join(context.root, 'apps/console/dist')
  const api = apiPart({
    port: options.httpPort,
    consoleDir,
    archive: database.archivedRuns,
    audit: database.audit,
    inbox: database.inbox,
  })
  const platform = await startLocalPlatform({
    folder,
    port: options.port,
    kubeconfig: options.kubeconfig,
    parts: [
      nodePart(runtime),
      database.part,
      controllersPart({
        archive: database.archive,
        ledger: database.ledger,
        inbox: database.inbox,
        // A container has a loopback interface of its own.
        uploadUrl: runtime === undefined ? api.started : undefined,
      }),
      gitTargetPart(),
      api.part,
    ],
    log,
    environment: context.environment,
    ...callbacks,
  })
  try {
    await writePlatformRecord(folder.root, {
      pid: process.pid,
      url: platform.url,
      kubeconfig: platform.kubeconfig,
      controlPort: control.port,
      token: control.token,
      startedAt: context.now().toISOString(),
    })
    callbacks.onMilestone('ready')
    const hasConsole = existsSync(join(consoleDir, 'index.html'))
    context.stderr.write(
      `The platform is running at ${platform.url}, with its state in ${shortPath(folder.root, context)}.\n` +
        `The API${hasConsole ? ' and the console are' : ' is'} at ${api.url()}\n`,
    )
    if (runtime !== undefined && missingImage !== undefined) {
      context.stderr.write(runsWait(runtime, missingImage))
    } else if (options.sample && isSampleDue(folder)) {
      context.stderr.write('A first run, with a scripted agent that needs no API key:\n\n')
      await showSample(platform.client, folder, context, stop)
      callbacks.onMilestone('sample shown')
    }
    // Before the commands that name these objects are printed.
    if (mirror !== undefined) await applyMirror(platform.client, mirror)
    platform.startBackground()
    const tour = {
      kubeconfig: platform.kubeconfig,
      hasSample: await sampleExists(platform.client, stop),
      hasConsole,
      mirror,
    }
    context.stdout.write(nextCommands(tour, folder, context))
    await whenAborted(stop)
  } catch (error) {
    if (!stop.aborted) throw error
  } finally {
    if (context.stop.aborted)
      context.stderr.write('\nStopping. Press Ctrl-C again to end without waiting.\n')
    await platform.stop()
    await removePlatformRecord(folder.root)
    callbacks.onMilestone('stopped')
  }
}

async function refuseSecond(stateDir: string, { defaultStateDir }: CommandContext): Promise<void> {
  const record = await readPlatformRecord(stateDir)
  if (record === undefined || (await queryPlatform(record, 'identity')) === 'gone') return
  const isDefault = stateDir === defaultStateDir
  const down = isDefault ? 'agentctl down' : `agentctl down --state-dir ${quoted(stateDir)}`
  throw new CommandFailure(
    `a platform is already running in ${stateDir}: process ${record.pid}, at ${record.url}, since ${record.startedAt}`,
    {
      advice: [
        `To use it: export KUBECONFIG=${record.kubeconfig}`,
        `To stop it: ${down}. To start a second one: agentctl up --state-dir DIR`,
      ],
    },
  )
}

function openLog(
  folder: StateFolder,
  { verbose }: PlatformOptions,
  { stderr }: CommandContext,
): { log: Logger; close(): Promise<void> } {
  const file = createWriteStream(folder.log, { flags: 'a', mode: 0o600 })
  // Parts may still log after the file is closed.
  const sink = { write: (line: string) => file.writable && file.write(line) }
  const log = createLogger({ sink, level: verbose ? 'debug' : 'info' })
  const close = () => new Promise<void>((resolve) => file.end(resolve))
  file.on('error', (error) => stderr.write(`${folder.log} cannot be written: ${error.message}\n`))
  return { log, close }
}

interface Tour {
  readonly kubeconfig: string
  /** Whether the objects of the sample can be named. */
  readonly hasSample: boolean
  readonly hasConsole: boolean
  readonly mirror: MirrorRepository | undefined
}

function nextCommands(
  { kubeconfig, hasSample, hasConsole, mirror }: Tour,
  folder: StateFolder,
  context: CommandContext,
): string {
  const { style } = context.stdout
  // agentctl finds the default state folder by itself; other folders, like kubectl, need KUBECONFIG.
  const isFound = folder.root === context.defaultStateDir
  const agentctl = context.installation === 'checkout' ? 'npx agentctl' : 'agentctl'
  const ofMirror = mirror && mirrorCommands(mirror, agentctl, quoted)
  const own = [
    ...(hasConsole ? [[`${agentctl} console`, 'open the console in a browser, signed in']] : []),
    [`${agentctl} get runs`, 'list the runs'],
    ...(hasSample
      ? [
          [`${agentctl} explain run ${sampleRun}`, 'show why it went as it did'],
          [`${agentctl} run --agent scripted --text "Greet the reader"`, 'start another run'],
        ]
      : [[`${agentctl} apply -f FILE`, 'create agents and runs']]),
    ...(ofMirror?.own ?? []),
  ]
  const kubeconfigCommand = [
    [
      `export KUBECONFIG=${quoted(kubeconfig)}`,
      isFound ? 'for kubectl, helm and other clients' : 'for all commands below',
    ],
  ]
  const others = [
    ['kubectl get agentruns -n agents', 'list the runs with kubectl'],
    ...(ofMirror?.kubectl ?? []),
  ]
  const commands = isFound
    ? [...own, ...kubeconfigCommand, ...others]
    : [...kubeconfigCommand, ...own, ...others]
  const lengths = commands.map(([command = '']) => command.length)
  // A very long command must not push the comments of the others off the screen.
  const width = Math.max(...lengths.filter((length) => length <= longestAligned))
  const lines = commands.map(
    ([command = '', does = '']) => `  ${command.padEnd(width)}   ${style.dim(`# ${does}`)}\n`,
  )
  return `\nIn a second terminal:\n\n${lines.join('')}\nPress Ctrl-C to stop it.\n`
}

const longestAligned = 80

/** Quotes a path for a shell if necessary. */
function quoted(path: string): string {
  return /^[\w./@%+=:,-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}

function runsWait(runtime: EngineName, image: string): string {
  return (
    `${runtime} has no image ${image}, so runs without an image of their own wait for it.\n` +
    `To build it, in a checkout: ${runtime} build --tag ${image} .\n`
  )
}

function shortPath(path: string, { workingDirectory }: CommandContext): string {
  const short = relative(workingDirectory, path)
  return short.startsWith('..') || short === '' ? path : short
}

function broken(cause: unknown, { log }: StateFolder): CommandFailure {
  const advice = [`See its log for details: ${log}`]
  return new CommandFailure('a part of the platform failed, so the platform was stopped', {
    cause,
    advice,
    code: exitCode.internal,
  })
}
