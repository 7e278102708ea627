import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { endedName } from '../logs/log-folder.ts'

/** Written before anything is started, so that an attempt is known whatever happens next. */
export interface AttemptIntent {
  readonly startedAt: string
  readonly bootId: string
  /** What to do about the container beside ending its processes, e.g. the name that an engine knows it by. */
  readonly engineName?: string
  /** What asks the container to end. Default SIGTERM. */
  readonly stopSignal?: string
  /** Where the container leaves its last words, and whether the end of its log may stand in for them. */
  readonly messagePath: string
  readonly fallBackToLog: boolean
}

/** How an attempt ended: all that a terminated state says. */
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

/** Something was meant to run there and is not known to have ended. */
export function isAttemptOpen(folder: string): boolean {
  return existsSync(join(folder, intentName)) && !existsSync(join(folder, endedName))
}

/** In their order. */
export async function attemptsIn(folder: string): Promise<number[]> {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .sort((a, b) => a - b)
}

/** The log of the attempt before the last one is still of interest, those before are not. */
export async function forgetOldAttempts(folder: string, last: number): Promise<void> {
  if (last < 2) return
  const old = (await attemptsIn(folder)).filter((number) => number < last - 1)
  for (const number of old) await rm(join(folder, String(number)), { recursive: true, force: true })
}

/** Whoever reads sees all of it or nothing. */
async function writeWhole(path: string, value: unknown): Promise<void> {
  await writeFile(`${path}.new`, JSON.stringify(value), { mode: 0o600 })
  await rename(`${path}.new`, path)
}

async function readWhole(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  return text === undefined ? undefined : JSON.parse(text)
}
