import { type ChildProcess, spawn } from 'node:child_process'
import { open, readFile } from 'node:fs/promises'

/** A long-running program whose output goes to a file. */
export interface ChildProgram {
  readonly name: string
  readonly pid: number
  /** Undefined while the program runs. */
  readonly exited: () => string | undefined
  /** Sends `signal`, and SIGKILL after `graceMs`. Resolves when the program has exited; idempotent. */
  readonly stop: (signal?: NodeJS.Signals, graceMs?: number) => Promise<void>
  /** The last lines of its log, for error messages. */
  readonly logTail: (lines?: number) => Promise<string>
}

export async function startProgram(
  name: string,
  path: string,
  args: readonly string[],
  logPath: string,
): Promise<ChildProgram> {
  const log = await open(logPath, 'a', 0o600)
  const child = spawn(path, args, { stdio: ['ignore', log.fd, log.fd] })
  const closed = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`could not start: ${error.message}`))
    child.once('exit', (code, signal) => resolve(`exited with ${signal ?? `code ${code}`}`))
  })
  let ending: string | undefined
  void closed.then((how) => {
    ending = how
  })
  // Without this an interrupted test run leaves servers behind.
  const killAtExit = (): void => void child.kill('SIGKILL')
  process.once('exit', killAtExit)
  void closed.then(() => process.off('exit', killAtExit))
  await log.close()
  return {
    name,
    pid: child.pid ?? 0,
    exited: () => ending,
    stop: (signal = 'SIGTERM', graceMs = 5_000) => stopChild(child, closed, signal, graceMs),
    logTail: (lines = 30) => tail(logPath, lines),
  }
}

async function stopChild(
  child: ChildProcess,
  closed: Promise<string>,
  signal: NodeJS.Signals,
  graceMs: number,
): Promise<void> {
  child.kill(signal)
  const timer = setTimeout(() => child.kill('SIGKILL'), graceMs)
  await closed
  clearTimeout(timer)
}

async function tail(path: string, lines: number): Promise<string> {
  const text = await readFile(path, 'utf8').catch(() => '')
  return text.trimEnd().split('\n').slice(-lines).join('\n')
}
