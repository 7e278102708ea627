import { type ChildProcess, spawn } from 'node:child_process'
import { open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { searchProgram } from './search-program.ts'

interface Program {
  readonly binary: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** A file that the program reads as its standard input. If omitted, it has none. */
  readonly stdinPath?: string
}

interface ProgramControl {
  /** Aborts: SIGTERM, and SIGKILL after the grace. */
  readonly stop: AbortSignal
  /** Aborts: no grace any more. */
  readonly hurry: AbortSignal
  readonly graceMs: number
  readStdout(stream: AsyncIterable<Buffer>): Promise<void>
  readStderr(stream: AsyncIterable<Buffer>): Promise<void>
}

export type ProgramEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'killed'; readonly signal: NodeJS.Signals }
  /** `code` is the system's error: ENOENT, EACCES, E2BIG. */
  | {
      readonly kind: 'notStarted'
      readonly code: string
      /** Folders of the search path that could not be searched for the program. */
      readonly closedFolders?: readonly string[]
    }

/** Runs a program without a shell in its own process group. No process of the group is left afterwards. */
export async function runProgram(program: Program, control: ProgramControl): Promise<ProgramEnd> {
  const input = program.stdinPath === undefined ? undefined : await open(program.stdinPath, 'r')
  try {
    const end = await run(program, control, input?.fd ?? 'ignore')
    return end.kind === 'notStarted' ? await explainNotStarted(end.code, program) : end
  } finally {
    await input?.close()
  }
}

async function run(
  { binary, args, env, cwd }: Program,
  control: ProgramControl,
  stdin: number | 'ignore',
): Promise<ProgramEnd> {
  let child: ChildProcess
  try {
    child = spawn(binary, args, { cwd, env, stdio: [stdin, 'pipe', 'pipe'], detached: true })
  } catch (error) {
    return { kind: 'notStarted', code: codeOf(error) }
  }
  const ended = endOf(child)
  const forgetStop = stopOnSignal(child, control)
  const reading = Promise.all([
    readAll(child.stdout, control.readStdout),
    readAll(child.stderr, control.readStderr),
  ])
  try {
    const end = await ended
    // What the program has left running must not write to the workspace, nor keep the pipes open.
    signalGroup(child, 'SIGKILL')
    await closeInTime(child, reading)
    return end
  } finally {
    forgetStop()
  }
}

/** Tells a program that exists and may not be executed from one that no folder holds. */
async function explainNotStarted(code: string, { binary, env }: Program): Promise<ProgramEnd> {
  if (code !== 'EACCES' || binary.includes('/')) return { kind: 'notStarted', code }
  const { isFound, closedFolders } = await searchProgram(binary, env.PATH ?? '')
  return isFound
    ? { kind: 'notStarted', code }
    : { kind: 'notStarted', code: 'ENOENT', closedFolders }
}

function endOf(child: ChildProcess): Promise<ProgramEnd> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ kind: 'notStarted', code: codeOf(error) }))
    child.once('exit', (code, signal) => {
      resolve(signal === null ? { kind: 'exited', code: code ?? 1 } : { kind: 'killed', signal })
    })
  })
}

function stopOnSignal(child: ChildProcess, { stop, hurry, graceMs }: ProgramControl): () => void {
  let timer: NodeJS.Timeout | undefined
  const kill = () => signalGroup(child, 'SIGKILL')
  const terminate = () => {
    signalGroup(child, 'SIGTERM')
    timer = setTimeout(kill, graceMs)
  }
  if (stop.aborted) terminate()
  else stop.addEventListener('abort', terminate, { once: true })
  if (hurry.aborted) kill()
  else hurry.addEventListener('abort', kill, { once: true })
  return () => {
    clearTimeout(timer)
    stop.removeEventListener('abort', terminate)
    hurry.removeEventListener('abort', kill)
  }
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, signal)
  } catch {
    // Nobody is left in the group.
  }
}

async function readAll(
  stream: Readable | null,
  read: (stream: AsyncIterable<Buffer>) => Promise<void>,
): Promise<void> {
  if (stream === null) return
  try {
    await read(stream)
  } catch (error) {
    // The stream is destroyed under its reader when something outside the group keeps it open.
    if (!stream.destroyed) throw error
  }
}

/** How long output that is still on its way is waited for. */
const lastOutputMs = 5000

async function closeInTime(child: ChildProcess, reading: Promise<unknown>): Promise<void> {
  const timer = setTimeout(() => {
    child.stdout?.destroy()
    child.stderr?.destroy()
  }, lastOutputMs)
  try {
    await reading
  } finally {
    clearTimeout(timer)
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown error'
}
