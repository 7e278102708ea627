import { readFile, stat, writeFile } from 'node:fs/promises'
import { constants } from 'node:os'
import { join } from 'node:path'
import { type Clock, sleep } from '@agents/controller'
import { type LogLimits, LogWriter } from '../logs/log-writer.ts'
import {
  type AttemptEnd,
  type AttemptIntent,
  readEnd,
  readIntent,
  writeEnd,
  writeIntent,
} from './attempt-record.ts'
import { type ContainerEngine, lastProblem } from './engine/engine.ts'
import { EngineAttempt } from './engine/engine-attempt.ts'
import { OutputPipe, writeRest } from './output-pipe.ts'
import {
  environmentOf,
  isAlive,
  killMarked,
  type ProcessIdentity,
  parseClaim,
  signalGroup,
} from './process-identity.ts'
import type { RunningContainer } from './running-container.ts'
import { shimScript, wantsInputName } from './shim.ts'
import type { Exit, Spawned, Spawner } from './spawner.ts'
import { terminationMessage } from './termination-message.ts'

/** Dependencies shared by all attempts of a node. */
export interface AttemptDependencies {
  readonly clock: Clock
  readonly logLimits: LogLimits
  readonly bootId: string
  readonly spawner: Spawner
  /** Runs containers, if a container runtime is configured. */
  readonly engine?: ContainerEngine
}

export interface CommandLine {
  readonly command: readonly string[]
  readonly workingDir: string
  /** The complete environment: nothing is inherited. */
  readonly environment: Readonly<Record<string, string>>
  /** Command prefix through which the shim runs, such as a program that creates the mounts. */
  readonly through: readonly string[]
}

/** One run of a container's command, from start to end. It may have been started by an earlier node. */
export class Attempt {
  readonly number: number
  readonly startedAt: string
  readonly #folder: string
  readonly #marker: string
  readonly #intent: AttemptIntent
  readonly #dependencies: AttemptDependencies
  readonly #writer: LogWriter
  readonly #inEngine: EngineAttempt | undefined
  #pid: number | undefined
  /** Signal to send as soon as the process exists. */
  #owed: NodeJS.Signals | undefined
  /** When the shell was allowed to run the command; undefined for attempts of an earlier node. */
  #wentAt: number | undefined
  #child: Spawned | undefined
  #pipe: OutputPipe | undefined
  #killed = false
  #stopping = false
  #left = false
  #cancelKill: (() => void) | undefined
  #end: AttemptEnd | undefined
  #environment: Readonly<Record<string, string>> | undefined
  readonly #over = new AbortController()
  readonly #listeners = new Set<(chunk: Buffer) => void>()

  constructor(location: AttemptLocation, intent: AttemptIntent, dependencies: AttemptDependencies) {
    this.number = location.number
    this.startedAt = intent.startedAt
    this.#folder = location.folder
    this.#marker = location.marker
    this.#intent = intent
    this.#dependencies = dependencies
    this.#writer = new LogWriter(location.folder, dependencies.logLimits, () =>
      dependencies.clock.now(),
    )
    const { engineName, stopSignal } = intent
    if (engineName !== undefined && dependencies.engine !== undefined) {
      this.#inEngine = new EngineAttempt(
        dependencies.engine,
        engineName,
        stopSignal,
        dependencies.clock,
      )
    }
  }

  /** Undefined while it runs. */
  get end(): AttemptEnd | undefined {
    return this.#end
  }

  get isStopping(): boolean {
    return this.#stopping
  }

  /** Undefined before the command runs, and after it has ended. */
  get running(): RunningContainer | undefined {
    const pid = this.#pid
    if (pid === undefined || this.#isOver) return undefined
    const { engineName, place, input } = this.#intent
    return {
      ...{ pid, folder: this.#folder, engineName, place, input, ended: this.#over.signal },
      environment: async () => this.#environment ?? (await environmentOf(pid)),
      onOutput: (listener) => {
        this.#listeners.add(listener)
        return () => this.#listeners.delete(listener)
      },
    }
  }

  /** Resolves when the command runs or has failed to start; `ended` is called once, later. */
  async start(line: CommandLine, ended: () => void): Promise<void> {
    if (this.#intent.input !== undefined) {
      await writeFile(join(this.#folder, wantsInputName), '', { mode: 0o600 })
    }
    const shim = ['/bin/sh', '-c', shimScript, 'sh', this.#folder]
    const [file = '', ...args] = [...line.through, ...shim, ...line.command]
    const { workingDir: cwd, environment: env } = line
    const child = this.#dependencies.spawner.start({ file, args, cwd, env })
    this.#child = child
    this.#environment = env
    const isReady = await child.ready
    this.#pid = child.pid
    if (isReady) await this.#openPipe()
    if (isReady && this.#owed !== undefined) this.#signal(this.#owed)
    this.#wentAt = this.#dependencies.clock.now().getTime()
    child.go()
    void this.#watchChild(child.exit, isReady, ended)
  }

  /** Continues an attempt of an earlier node. False: it never ran, and from now on cannot run. */
  async adopt(ended: () => void): Promise<boolean> {
    this.#end = await readEnd(this.#folder)
    if (this.#end !== undefined) return true
    const claim = await this.#claim()
    if (claim === undefined) return false
    const isOurs = this.#intent.bootId === this.#dependencies.bootId && (await isAlive(claim))
    if (isOurs) {
      this.#pid = claim.pid
      await this.#openPipe().catch(() => undefined)
      await writeFile(join(this.#folder, 'adopted'), `${process.pid}\n`, { mode: 0o600 })
    }
    void this.#watchAdopted(claim, isOurs, ended)
    return true
  }

  /** SIGTERM now, SIGKILL after the grace period. A later call can only make it shorter. */
  stop(graceMs: number): void {
    if (this.#end !== undefined) return
    if (!this.#stopping && graceMs > 0) this.#terminate()
    this.#stopping = true
    this.#cancelKill?.()
    this.#cancelKill = this.#dependencies.clock.after(graceMs, () => {
      this.#killed = true
      void this.#kill()
    })
  }

  /** Stops supervising; the command keeps running. */
  async leave(): Promise<void> {
    this.#left = true
    this.#over.abort()
    this.#cancelKill?.()
    this.#pipe?.close()
    await this.#pipe?.drained
    this.#child?.leave()
    if (this.#end === undefined) this.#writer.close()
  }

  /**
   * A shell that waits to be released passes the signal on to its command. After that, until the command has replaced
   * it, it might lose the signal.
   */
  #terminate(): void {
    if (this.#inEngine !== undefined) {
      void this.#inEngine.terminate(() => this.#isOver || this.#killed)
      return
    }
    const { clock } = this.#dependencies
    const isWaiting = this.#child !== undefined && this.#wentAt === undefined
    const age = clock.now().getTime() - (this.#wentAt ?? Date.parse(this.startedAt))
    if (isWaiting || age >= settledMs) this.#signal('SIGTERM')
    else clock.after(settledMs - Math.max(age, 0), () => this.#end ?? this.#signal('SIGTERM'))
  }

  /** An engine kills its containers itself; its program then gets some time to pass on the last output. */
  async #kill(): Promise<void> {
    if (this.#inEngine !== undefined) await this.#inEngine.kill(() => this.#isOver)
    if (!this.#isOver) this.#signal('SIGKILL')
  }

  get #isOver(): boolean {
    return this.#end !== undefined || this.#left
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.#pid !== undefined) signalGroup(this.#pid, signal)
    else this.#owed = signal
  }

  async #openPipe(): Promise<void> {
    if (this.#pipe !== undefined) return
    const { logLimits, clock } = this.#dependencies
    this.#pipe = await OutputPipe.open(this.#folder, this.#writer, logLimits, clock, (chunk) => {
      for (const listener of this.#listeners) listener(chunk)
    })
  }

  /**
   * If the claim does not exist yet, the node takes it: a shim that starts late then finds it taken and runs nothing.
   */
  async #claim(): Promise<ProcessIdentity | undefined> {
    const path = join(this.#folder, 'claim')
    const isOurs = await writeFile(path, 'node\n', { flag: 'wx', mode: 0o600 }).then(
      () => true,
      () => false,
    )
    if (isOurs) return undefined
    for (let tries = 0; tries < claimTries; tries += 1) {
      const text = await readFile(path, 'utf8').catch(() => '')
      if (text === 'node\n') return undefined
      const claim = parseClaim(text)
      if (claim !== undefined) return claim
      await sleep(this.#dependencies.clock, claimPollMs)
    }
    return { pid: 0, startTime: '' }
  }

  async #watchChild(exit: Promise<Exit>, isReady: boolean, ended: () => void): Promise<void> {
    const { error, signal, isLost } = await exit
    if (this.#left) return
    // Handled like an attempt of an earlier node.
    if (isLost && (await this.adopt(ended))) return
    if (!isReady && !this.#killed) {
      const message = error ?? 'the environment of the command could not be created'
      await this.#finish({ exitCode: 128, reason: 'StartError', message }, ended)
      return
    }
    const number = signal ? constants.signals[signal] : undefined
    await this.#conclude(number === undefined ? undefined : 128 + number, ended)
  }

  async #watchAdopted(claim: ProcessIdentity, isOurs: boolean, ended: () => void): Promise<void> {
    while (isOurs && !this.#left && (await isAlive(claim))) {
      await Promise.race([this.#pipe?.drained, sleep(this.#dependencies.clock, adoptedPollMs)])
      await sleep(this.#dependencies.clock, claimPollMs)
    }
    if (!this.#left) await this.#conclude(undefined, ended)
  }

  /** The shim has ended. Remaining processes of the container are killed, and its log is completed. */
  async #conclude(signalCode: number | undefined, ended: () => void): Promise<void> {
    const inEngine = await this.#inEngine?.conclude()
    await this.#drain()
    await writeRest(this.#folder, this.#writer)
    if (inEngine?.kind === 'ended') {
      await this.#finish(inEngine, ended)
      return
    }
    const exit = await readFile(join(this.#folder, 'exit'), 'utf8').catch(() => '')
    const hasRefused = inEngine?.kind === 'gone' && engineRefusal.test(exit)
    if ((inEngine?.kind === 'never ran' || hasRefused) && !this.#killed) {
      await this.#finish(await this.#startError(), ended)
      return
    }
    // If an engine fails while the container runs, for example because its daemon was lost, the exit code says
    // nothing about the container.
    const hasFailed = inEngine?.kind === 'unknown' && engineFailure.test(exit)
    if (exit.endsWith('\n') && !hasFailed) {
      const exitCode = Number(exit)
      await this.#finish({ exitCode, reason: exitCode === 0 ? 'Completed' : 'Error' }, ended)
      return
    }
    await killMarked((marker) => marker === this.#marker)
    if (this.#killed) await this.#finish({ exitCode: 137, reason: 'Error' }, ended)
    else await this.#finish({ ...vanished, exitCode: signalCode ?? vanished.exitCode }, ended)
  }

  /** The log contains only what the engine reported. */
  async #startError(): Promise<Outcome> {
    const terminationText = await terminationMessage(
      this.#folder,
      { ...this.#intent, fallBackToLog: true },
      1,
    ).catch(() => undefined)
    const message =
      lastProblem(terminationText ?? '') ?? 'the container engine could not start the container'
    return { exitCode: 128, reason: 'StartError', message }
  }

  /** The pipe ends with its last writer. A writer that left the process group is found by its marker. */
  async #drain(): Promise<void> {
    if (this.#pipe === undefined) return
    const { clock } = this.#dependencies
    const { drained } = this.#pipe
    const isLate = await Promise.race([
      drained.then(() => false),
      sleep(clock, 500).then(() => true),
    ])
    if (!isLate) return
    await killMarked((marker) => marker === this.#marker)
    await Promise.race([drained, sleep(clock, 500)])
    this.#pipe.close()
    await drained
  }

  async #finish(outcome: Outcome, ended: () => void): Promise<void> {
    this.#cancelKill?.()
    this.#child?.leave()
    this.#writer.close()
    const words = outcome.message ?? (await this.#terminationMessage(outcome.exitCode))
    const end: AttemptEnd = {
      exitCode: outcome.exitCode,
      reason: outcome.reason,
      ...(words !== undefined && { message: words }),
      startedAt: this.startedAt,
      finishedAt: await this.#finishedAt(),
    }
    // The folder no longer exists if the pod was removed meanwhile; then the end is not needed.
    await writeEnd(this.#folder, end).catch(() => undefined)
    this.#end = end
    this.#over.abort()
    ended()
  }

  #terminationMessage(exitCode: number): Promise<string | undefined> {
    return terminationMessage(this.#folder, this.#intent, exitCode).catch(() => undefined)
  }

  async #finishedAt(): Promise<string> {
    const exit = await stat(join(this.#folder, 'exit')).catch(() => undefined)
    return (exit?.mtime ?? this.#dependencies.clock.now()).toISOString()
  }
}

type Outcome = Pick<AttemptEnd, 'exitCode' | 'reason' | 'message'>

export interface AttemptLocation {
  readonly number: number
  readonly folder: string
  /** Unique among all attempts on this machine. */
  readonly marker: string
}

/** Recorded before anything runs. */
export async function newAttempt(
  location: AttemptLocation,
  intent: AttemptIntent,
  dependencies: AttemptDependencies,
): Promise<Attempt> {
  await writeIntent(location.folder, intent)
  return new Attempt(location, intent, dependencies)
}

/** Undefined if no attempt was recorded. */
export async function knownAttempt(
  location: AttemptLocation,
  dependencies: AttemptDependencies,
): Promise<Attempt | undefined> {
  const intent = await readIntent(location.folder)
  return intent && new Attempt(location, intent, dependencies)
}

/** Exit codes of engines that have not run the program. The program may exit with the same codes. */
const engineRefusal = /^12[567]\n$/
const engineFailure = /^125\n$/

const settledMs = 200
const claimTries = 40
const claimPollMs = 50
const adoptedPollMs = 1000

const vanished = {
  exitCode: 137,
  reason: 'ContainerStatusUnknown',
  message: 'The container could not be located when the node checked it',
}
