import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { constants } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { type CommandStreams, StreamFailure } from '@agents/kube'
import { processesWith, signalAll, signalGroup } from '../container/process-identity.ts'
import type { JoiningLine } from './container-command.ts'
import { inTerminal, resizer, terminalDescriptor } from './terminal.ts'

/** Set in the environment of the processes of one exec, so that all of them can be found. */
export const execMarkerName = 'AGENTS_EXEC'

export function newExecMarker(): string {
  return randomUUID()
}

/** Time for processes to end after the client has disconnected. */
const graceMs = 1000
/** Time for the rest of the output, which processes in the background may hold open. */
const lastOutputMs = 1000

/**
 * Runs a command with the streams of a client. Its processes end when the client disconnects or the container ends.
 * Processes that the command leaves in the background run until the container ends, as in a cluster.
 */
export async function runExec(
  line: JoiningLine,
  marker: string,
  streams: CommandStreams,
  containerEnded: AbortSignal,
): Promise<number> {
  const { stdin, stdout, stderr, tty, signal } = streams
  const { command, environment } = tty ? inTerminal(line.command, line.environment) : line
  const [file = '', ...args] = command
  const child = spawn(file, args, {
    cwd: '/',
    env: { ...environment },
    detached: true,
    stdio: [
      // A terminal without input stays open: an end of file would end a shell.
      stdin === undefined && !tty ? 'ignore' : 'pipe',
      stdout === undefined ? 'ignore' : 'pipe',
      // What `script` itself reports belongs to the output.
      stderr === undefined && !tty ? 'ignore' : 'pipe',
      tty ? 'pipe' : 'ignore',
    ],
  })
  const exit = exitOf(child)
  connect(child, streams)
  if (tty) streams.onResize(resizer(child.stdio[terminalDescriptor] as Readable))
  const stop = (): void => void endProcesses(child.pid, marker, tty ? 'SIGHUP' : 'SIGTERM')
  const kill = (): void => void endProcesses(child.pid, marker, 'SIGKILL')
  signal.addEventListener('abort', stop, { once: true })
  containerEnded.addEventListener('abort', kill, { once: true })
  if (signal.aborted) stop()
  if (containerEnded.aborted) kill()
  try {
    const code = await exit
    await Promise.race([allRead([child.stdout, child.stderr]), delay(lastOutputMs)])
    return code
  } finally {
    signal.removeEventListener('abort', stop)
    containerEnded.removeEventListener('abort', kill)
    stdin?.unpipe()
    child.stdout?.destroy()
    child.stderr?.destroy()
    for (const stream of [stdout, stderr]) stream?.removeAllListeners('drain')
  }
}

function connect(child: ChildProcess, { stdin, stdout, stderr, tty }: CommandStreams): void {
  // A command that does not read its input breaks the pipe; its exit code is what matters.
  child.stdin?.on('error', () => undefined)
  if (stdin !== undefined && child.stdin !== null) stdin.pipe(child.stdin)
  pipeOpen(child.stdout, stdout)
  pipeOpen(child.stderr, tty ? stdout : stderr)
}

/** The client's stream is ended by its session, after the status is known. */
function pipeOpen(from: Readable | null, to: Writable | undefined): void {
  if (from === null || to === undefined) return
  from.on('error', () => undefined)
  from.pipe(to, { end: false })
}

function exitOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', (error) =>
      reject(new StreamFailure(500, `error executing command in container: ${error.message}`)),
    )
    child.once('exit', (code, signal) =>
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
    )
  })
}

async function allRead(streams: readonly (Readable | null)[]): Promise<void> {
  await Promise.all(
    streams.map(
      (stream) =>
        stream === null ||
        stream.readableEnded ||
        stream.destroyed ||
        new Promise<void>((resolve) => {
          stream.once('end', resolve)
          stream.once('close', resolve)
        }),
    ),
  )
}

async function endProcesses(
  pid: number | undefined,
  marker: string,
  signal: NodeJS.Signals,
): Promise<void> {
  const signalBoth = async (one: NodeJS.Signals): Promise<void> => {
    signalAll(await processesWith(execMarkerName, (value) => value === marker), one)
    if (pid !== undefined) signalGroup(pid, one)
  }
  await signalBoth(signal)
  if (signal === 'SIGKILL') return
  await delay(graceMs)
  await signalBoth('SIGKILL')
}
