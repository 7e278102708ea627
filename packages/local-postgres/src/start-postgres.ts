import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import type { Logger } from '@agents/log'
import { type Binaries, findBinaries } from './binaries.ts'
import { initialize, owner } from './initialize.ts'
import { endLeftover } from './leftover.ts'
import { PostgresUnavailable } from './postgres-unavailable.ts'
import { plainWords } from './run-to-end.ts'
import { type Unprivileged, unprivileged } from './unprivileged.ts'

export interface LocalPostgresOptions {
  /** Holds the data and the password. Made if it is not there. */
  readonly directory: string
  readonly log: Logger
  /** Told when the server ends without having been asked to. */
  readonly onEnd?: (error: PostgresUnavailable) => void
}

export interface LocalPostgres {
  /** With the password: not for logs. */
  readonly url: string
  readonly port: number
  /** Ends connections and the server; what was committed is on disk. */
  stop(): Promise<void>
}

/** A PostgreSQL of one's own on loopback. Throws PostgresUnavailable where there can be none. */
export async function startPostgres(options: LocalPostgresOptions): Promise<LocalPostgres> {
  const { directory, log } = options
  const [binaries, who] = await Promise.all([findBinaries(), unprivileged()])
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await who.own(directory)
  const { dataDir, password } = await initialize(directory, binaries, who)
  await endLeftover(dataDir)
  for (let tries = 1; ; tries += 1) {
    const port = await freePort()
    const server = launch({ binaries, who, dataDir, port, log })
    const ending = await server.ready
    if (ending === undefined) return handle(server.child, port, password, options)
    // Somebody else may have taken the port in between.
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
  /** Nothing when it serves, else why it does not. */
  readonly ready: Promise<PostgresUnavailable | undefined>
}

function launch({ binaries, who, dataDir, port, log }: Launch): Launched {
  const [file, args] = who.command(binaries.postgres, ['-D', dataDir, ...settings(port)])
  const child = spawn(file, args, {
    ...who.ids,
    env: plainWords,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
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
    child.once('close', (code) => fail(`it ended with ${code}.\n${last.join('\n')}`))
  })
  return { child, ready }
}

/** For one person's machine: little memory, every commit on disk, nothing but loopback. */
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

function handle(
  child: ChildProcess,
  port: number,
  password: string,
  { onEnd }: LocalPostgresOptions,
): LocalPostgres {
  let isStopping = false
  const ended = new Promise<void>((resolve) => {
    child.once('close', (code, signal) => {
      if (!isStopping) {
        onEnd?.(new PostgresUnavailable(`PostgreSQL ended by itself with ${code ?? signal}`))
      }
      resolve()
    })
  })
  return {
    url: `postgres://${owner}:${password}@127.0.0.1:${port}/${owner}`,
    port,
    stop: async () => {
      isStopping = true
      child.kill('SIGINT')
      const impatient = setTimeout(() => child.kill('SIGQUIT'), 10_000)
      await ended
      clearTimeout(impatient)
    },
  }
}

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  if (address === null || typeof address === 'string') throw new TypeError('no port')
  return address.port
}
