import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@agents/log'
import { type Binaries, findBinaries } from './binaries.ts'
import { initialize, owner } from './initialize.ts'
import { endLeftover } from './leftover.ts'
import { PostgresUnavailable } from './postgres-unavailable.ts'
import { plainWords } from './run-to-end.ts'
import { stopWithParent } from './stop-with-parent.ts'
import { type Unprivileged, unprivileged } from './unprivileged.ts'

interface LocalPostgresOptions {
  /** Contains the data and the password. Created if it does not exist. */
  readonly directory: string
  readonly log: Logger
  /** Whether a server that exits by itself is restarted. Default true. */
  readonly restart?: boolean
  /** Called each time the server exits by itself. */
  readonly onEnd?: (error: PostgresUnavailable) => void
  /** Called when a restarted server accepts connections. */
  readonly onRestart?: () => void
}

export interface LocalPostgres {
  /** Contains the password: must not be logged. */
  readonly url: string
  /** Unchanged by restarts. */
  readonly port: number
  /** The pid of the server process; undefined while none is serving. */
  readonly pid: number | undefined
  /** Closes connections and stops the server. Committed data is on disk. */
  stop(): Promise<void>
}

/**
 * Starts a private PostgreSQL on loopback. Throws PostgresUnavailable if it cannot run on this machine. A server that
 * exits by itself is restarted at the same address, until `stop`.
 */
export async function startPostgres(options: LocalPostgresOptions): Promise<LocalPostgres> {
  const { directory, log } = options
  const [binaries, who] = await Promise.all([findBinaries(), unprivileged()])
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await who.own(directory)
  const { dataDir, password } = await initialize(directory, binaries, who)
  await endLeftover(dataDir)
  for (let tries = 1; ; tries += 1) {
    const port = await freePort()
    const start = () => launch({ binaries, who, dataDir, port, log })
    const server = start()
    const ending = await server.ready
    if (ending === undefined) return supervise(server.child, start, { port, password, options })
    // Another process may have taken the port in between.
    if (tries === 3) throw ending
  }
}

interface Launch {
  readonly binaries: Binaries
  readonly who: Unprivileged
  readonly dataDir: string
  readonly port: number
  readonly log: Logger
}

interface Launched {
  readonly child: ChildProcess
  /** Resolves with undefined when the server accepts connections, or with the reason that it does not. */
  readonly ready: Promise<PostgresUnavailable | undefined>
}

function launch({ binaries, who, dataDir, port, log }: Launch): Launched {
  const [file, args] = who.command(binaries.postgres, ['-D', dataDir, ...settings(port)])
  const child = spawn(file, args, {
    ...who.ids,
    env: plainWords,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  if (child.pid !== undefined) child.once('close', stopWithParent(child.pid, dataDir))
  const last: string[] = []
  const ready = new Promise<PostgresUnavailable | undefined>((resolve) => {
    createInterface(child.stderr).on('line', (line) => {
      log.debug('postgres', { line })
      last.push(line)
      if (last.length > 20) last.shift()
      if (line.includes('ready to accept connections')) resolve(undefined)
    })
    const fail = (why: string): void =>
      resolve(new PostgresUnavailable(`PostgreSQL did not start: ${why}`))
    child.once('error', ({ message }) => fail(message))
    child.once('close', (code) => fail(`it exited with ${code}.\n${last.join('\n')}`))
  })
  return { child, ready }
}

/** For a developer machine: little memory, durable commits, loopback only. */
function settings(port: number): string[] {
  const values = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 40,
    shared_buffers: '32MB',
    dynamic_shared_memory_type: 'mmap',
    log_min_messages: 'warning',
    log_timezone: 'UTC',
    timezone: 'UTC',
  }
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/** The delay before a restart: doubled with each failure, up to `longestWaitMs`. */
const firstWaitMs = 250
const longestWaitMs = 30_000
/** A server that ran for this long resets the delay. */
const settledMs = 60_000

interface Supervised {
  readonly port: number
  readonly password: string
  readonly options: LocalPostgresOptions
}

function supervise(
  first: ChildProcess,
  start: () => Launched,
  { port, password, options: { restart = true, onEnd, onRestart, log } }: Supervised,
): LocalPostgres {
  const stopping = new AbortController()
  let serving: ChildProcess | undefined = first
  const ended = (async () => {
    let waitMs = firstWaitMs
    let child = first
    for (;;) {
      const since = performance.now()
      const how = await ending(child)
      serving = undefined
      if (stopping.signal.aborted) return
      onEnd?.(new PostgresUnavailable(`PostgreSQL exited unexpectedly with ${how}`))
      if (!restart) return
      if (performance.now() - since > settledMs) waitMs = firstWaitMs
      for (;;) {
        await sleep(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined)
        waitMs = Math.min(waitMs * 2, longestWaitMs)
        if (stopping.signal.aborted) return
        const next = start()
        const failure = await next.ready
        child = next.child
        if (failure === undefined) break
        log.warn('PostgreSQL restart failed', { error: failure, retryMs: waitMs })
      }
      serving = child
      // `stop` may have been called while the server started.
      if (stopping.signal.aborted) child.kill('SIGINT')
      else onRestart?.()
    }
  })()
  return {
    url: `postgres://${owner}:${password}@127.0.0.1:${port}/${owner}`,
    port,
    get pid() {
      return serving?.pid
    },
    stop: async () => {
      stopping.abort()
      serving?.kill('SIGINT')
      const impatient = setTimeout(() => serving?.kill('SIGQUIT'), 10_000)
      await ended
      clearTimeout(impatient)
    },
  }
}

/** Resolves with the exit code or the signal of a process. */
function ending(child: ChildProcess): Promise<number | string | null> {
  const { exitCode, signalCode } = child
  if (exitCode !== null || signalCode !== null) return Promise.resolve(exitCode ?? signalCode)
  return new Promise((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal))
  })
}

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  if (address === null || typeof address === 'string') throw new TypeError('no port')
  return address.port
}
