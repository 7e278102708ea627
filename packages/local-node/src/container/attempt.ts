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
import { type ContainerEngine, lastProblem } from './engine.ts'
import { EngineAttempt } from './engine-attempt.ts'
import { lastWords } from './last-words.ts'
import { OutputPipe, writeRest } from './output-pipe.ts'
import {
  isAlive,
  killMarked,
  type ProcessIdentity,
  parseClaim,
  signalGroup,
} from './process-identity.ts'
import { shimScript } from './shim.ts'
import type { Exit, Spawned, Spawner } from './spawner.ts'

/** What all attempts of a node share. */
export interface AttemptSurroundings {
  readonly clock: Clock
  readonly logLimits: LogLimits
  readonly bootId: string
  readonly spawner: Spawner
  /** Runs containers beside our processes. */
  readonly engine?: ContainerEngine
}

export interface CommandLine {
  readonly command: readonly string[]
  readonly workingDir: string
  /** All of it: nothing is inherited. */
  readonly environment: Readonly<Record<string, string>>
  /** Runs the shim through another program, e.g. one that makes the mounts. */
  readonly through: readonly string[]
}

/** One run of a container's command, from its start to its end; also of one that was started by a node before this one. */
export class Attempt {
  readonly number: number
  readonly startedAt: string
  readonly #folder: string
  readonly #marker: string
  readonly #intent: AttemptIntent
  readonly #around: AttemptSurroundings
  readonly #writer: LogWriter
  readonly #inEngine: EngineAttempt | undefined
  #pid: number | undefined
  /** What is to be sent when there is somebody to send it to. */
  #owed: NodeJS.Signals | undefined
  /** When the shell was let begin with the command; undefined for what an earlier node started. */
  #wentAt: number | undefined
  #child: Spawned | undefined
  #pipe: OutputPipe | undefined
  #killed = false
  #stopping = false
  #left = false
  #cancelKill: (() => void) | undefined
  #end: AttemptEnd | undefined

  constructor(place: AttemptPlace, intent: AttemptIntent, around: AttemptSurroundings) {
    this.number = place.number
    this.startedAt = intent.startedAt
    this.#folder = place.folder
    this.#marker = place.marker
    this.#intent = intent
    this.#around = around
    this.#writer = new LogWriter(place.folder, around.logLimits, () => around.clock.now())
    const { engineName, stopSignal } = intent
    if (engineName !== undefined && around.engine !== undefined) {
      this.#inEngine = new EngineAttempt(around.engine, engineName, stopSignal, around.clock)
    }
  }

  /** Undefined while it runs. */
  get end(): AttemptEnd | undefined {
    return this.#end
  }

  get isStopping(): boolean {
    return this.#stopping
  }

  /** Resolves when the command runs or has failed to; `ended` is told once, later. */
  async start(line: CommandLine, ended: () => void): Promise<void> {
    const shim = ['/bin/sh', '-c', shimScript, 'sh', this.#folder]
    const [file = '', ...args] = [...line.through, ...shim, ...line.command]
    const { workingDir: cwd, environment: env } = line
    const child = this.#around.spawner.start({ file, args, cwd, env })
    this.#child = child
    const isReady = await child.ready
    this.#pid = child.pid
    if (isReady) await this.#openPipe()
    if (isReady && this.#owed !== undefined) this.#signal(this.#owed)
    this.#wentAt = this.#around.clock.now().getTime()
    child.go()
    void this.#watchChild(child.exit, isReady, ended)
  }

  /** Goes on with what an earlier node started. False: it never ran, and from now on it never will. */
  async adopt(ended: () => void): Promise<boolean> {
    this.#end = await readEnd(this.#folder)
    if (this.#end !== undefined) return true
    const claim = await this.#claim()
    if (claim === undefined) return false
    const isOurs = this.#intent.bootId === this.#around.bootId && (await isAlive(claim))
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
    this.#cancelKill = this.#around.clock.after(graceMs, () => {
      this.#killed = true
      void this.#kill()
    })
  }

  /** Lets it run on without us. */
  async leave(): Promise<void> {
    this.#left = true
    this.#cancelKill?.()
    this.#pipe?.close()
    await this.#pipe?.drained
    this.#child?.leave()
    if (this.#end === undefined) this.#writer.close()
  }

  /**
   * A shell that waits to be let go passes the signal on to its command. From then on, until the command has taken its place, it
   * might swallow it.
   */
  #terminate(): void {
    if (this.#inEngine !== undefined) {
      void this.#inEngine.terminate(() => this.#isOver || this.#killed)
      return
    }
    const { clock } = this.#around
    const isWaiting = this.#child !== undefined && this.#wentAt === undefined
    const age = clock.now().getTime() - (this.#wentAt ?? Date.parse(this.startedAt))
    if (isWaiting || age >= settledMs) this.#signal('SIGTERM')
    else clock.after(settledMs - Math.max(age, 0), () => this.#end ?? this.#signal('SIGTERM'))
  }

  /** What an engine runs is ended by it; then its program has the last output to pass on, for which it gets some time. */
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
    const { logLimits, clock } = this.#around
    this.#pipe = await OutputPipe.open(this.#folder, this.#writer, logLimits, clock)
  }

  /** A claim that nobody has made by now is ours: then the shim that comes late finds it taken and runs nothing. */
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
      await sleep(this.#around.clock, claimPollMs)
    }
    return { pid: 0, startTime: '' }
  }

  async #watchChild(exit: Promise<Exit>, isReady: boolean, ended: () => void): Promise<void> {
    const { error, signal, isLost } = await exit
    if (this.#left) return
    // As if an earlier node had started it.
    if (isLost && (await this.adopt(ended))) return
    if (!isReady && !this.#killed) {
      const message = error ?? 'the surroundings of the command could not be made'
      await this.#finish({ exitCode: 128, reason: 'StartError', message }, ended)
      return
    }
    const number = signal ? constants.signals[signal] : undefined
    await this.#conclude(number === undefined ? undefined : 128 + number, ended)
  }

  async #watchAdopted(claim: ProcessIdentity, isOurs: boolean, ended: () => void): Promise<void> {
    while (isOurs && !this.#left && (await isAlive(claim))) {
      await Promise.race([this.#pipe?.drained, sleep(this.#around.clock, adoptedPollMs)])
      await sleep(this.#around.clock, claimPollMs)
    }
    if (!this.#left) await this.#conclude(undefined, ended)
  }

  /** The shim has ended. Whatever is left of the container has to go, and its log to be completed. */
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
    // An engine that fails while the container runs, e.g. because its daemon was lost, says nothing about the container.
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

  /** What the engine said about it is all that the log holds. */
  async #startError(): Promise<Outcome> {
    const said = await lastWords(this.#folder, { ...this.#intent, fallBackToLog: true }, 1).catch(
      () => undefined,
    )
    const message = lastProblem(said ?? '') ?? 'the container engine could not start it'
    return { exitCode: 128, reason: 'StartError', message }
  }

  /** The pipe ends with its last writer. One that left the process group is found by its marker. */
  async #drain(): Promise<void> {
    if (this.#pipe === undefined) return
    const { clock } = this.#around
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
    const words = outcome.message ?? (await this.#lastWords(outcome.exitCode))
    const end: AttemptEnd = {
      exitCode: outcome.exitCode,
      reason: outcome.reason,
      ...(words !== undefined && { message: words }),
      startedAt: this.startedAt,
      finishedAt: await this.#finishedAt(),
    }
    // The folder is gone when the pod was removed meanwhile; then nobody asks any more.
    await writeEnd(this.#folder, end).catch(() => undefined)
    this.#end = end
    ended()
  }

  #lastWords(exitCode: number): Promise<string | undefined> {
    return lastWords(this.#folder, this.#intent, exitCode).catch(() => undefined)
  }

  async #finishedAt(): Promise<string> {
    const exit = await stat(join(this.#folder, 'exit')).catch(() => undefined)
    return (exit?.mtime ?? this.#around.clock.now()).toISOString()
  }
}

type Outcome = Pick<AttemptEnd, 'exitCode' | 'reason' | 'message'>

export interface AttemptPlace {
  readonly number: number
  readonly folder: string
  /** Unlike that of every other attempt on this machine. */
  readonly marker: string
}

/** On record before anything runs. */
export async function newAttempt(
  place: AttemptPlace,
  intent: AttemptIntent,
  around: AttemptSurroundings,
): Promise<Attempt> {
  await writeIntent(place.folder, intent)
  return new Attempt(place, intent, around)
}

/** Undefined where nothing was ever meant to run. */
export async function knownAttempt(
  place: AttemptPlace,
  around: AttemptSurroundings,
): Promise<Attempt | undefined> {
  const intent = await readIntent(place.folder)
  return intent && new Attempt(place, intent, around)
}

/** What engines exit with when they have not run the program; it may exit with the same. */
const engineRefusal = /^12[567]\n$/
const engineFailure = /^125\n$/

const settledMs = 200
const claimTries = 40
const claimPollMs = 50
const adoptedPollMs = 1000

const vanished = {
  exitCode: 137,
  reason: 'ContainerStatusUnknown',
  message: 'The container could not be located when the node looked for it',
}
