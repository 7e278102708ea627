import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { endedName } from '../logs/log-folder.ts'

/** Written before the container is started, so that the attempt is on record whatever happens next. */
export interface AttemptIntent {
  readonly startedAt: string
  readonly bootId: string
  /** Name of the container in its engine, if an engine runs it. */
  readonly engineName?: string
  /** Signal that asks the container to stop. Default SIGTERM. */
  readonly stopSignal?: string
  /** Path of the termination message, and whether the end of the log may replace it. */
  readonly messagePath: string
  readonly fallBackToLog: boolean
  /** Where the container's command runs, for commands that join it later. Not set if an engine runs it. */
  readonly place?: ContainerPlace
  /** Whether the container reads its input, and whether the input ends with the first client that attaches to it. */
  readonly input?: 'open' | 'once'
}

export interface ContainerPlace {
  readonly workingDir: string
  /** Root folder, in the mount namespace of the container. If omitted, the container has that of the machine. */
  readonly root?: string
  readonly user?: number
}

/** How an attempt ended: the content of a terminated state. */
export interface AttemptEnd {
  readonly exitCode: number
  readonly reason: string
  readonly message?: string
  readonly startedAt: string
  readonly finishedAt: string
}

const intentName = 'attempt.json'

export async function writeIntent(folder: string, intent: AttemptIntent): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  await writeWhole(join(folder, intentName), intent)
}

export async function readIntent(folder: string): Promise<AttemptIntent | undefined> {
  return (await readWhole(join(folder, intentName))) as AttemptIntent | undefined
}

export async function writeEnd(folder: string, end: AttemptEnd): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  await writeWhole(join(folder, endedName), end)
}

export async function readEnd(folder: string): Promise<AttemptEnd | undefined> {
  return (await readWhole(join(folder, endedName))) as AttemptEnd | undefined
}

/** Whether an attempt was recorded in the folder and has no recorded end. */
export function isAttemptOpen(folder: string): boolean {
  return existsSync(join(folder, intentName)) && !existsSync(join(folder, endedName))
}

/** Numbers of the attempts, in order. */
export async function attemptsIn(folder: string): Promise<number[]> {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .sort((a, b) => a - b)
}

/** Keeps the log of the last two attempts and removes older ones. */
export async function forgetOldAttempts(folder: string, last: number): Promise<void> {
  if (last < 2) return
  const old = (await attemptsIn(folder)).filter((number) => number < last - 1)
  for (const number of old) await rm(join(folder, String(number)), { recursive: true, force: true })
}

/** Writes the file atomically. */
async function writeWhole(path: string, value: unknown): Promise<void> {
  await writeFile(`${path}.new`, JSON.stringify(value), { mode: 0o600 })
  await rename(`${path}.new`, path)
}

async function readWhole(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  return text === undefined ? undefined : JSON.parse(text)
}
