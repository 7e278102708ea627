import { randomUUID } from 'node:crypto'
import { open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** What a running platform leaves in its state folder for those who look for it. Readable by its owner alone. */
export interface PlatformRecord {
  readonly pid: number
  /** Of the API server. */
  readonly url: string
  readonly kubeconfig: string
  /** Where it can be told to stop, by whoever knows the token. */
  readonly controlPort: number
  readonly token: string
  readonly startedAt: string
}

const fileName = 'platform.json'

export async function writePlatformRecord(stateDir: string, record: PlatformRecord): Promise<void> {
  await writePrivateFile(join(stateDir, fileName), `${JSON.stringify(record, undefined, 2)}\n`)
}

export async function removePlatformRecord(stateDir: string): Promise<void> {
  await rm(join(stateDir, fileName), { force: true })
}

/** The record, also that of a platform which was killed and could not take it away. */
export async function readPlatformRecord(stateDir: string): Promise<PlatformRecord | undefined> {
  try {
    return JSON.parse(await readFile(join(stateDir, fileName), 'utf8')) as PlatformRecord
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR' || error instanceof SyntaxError) return undefined
    throw error
  }
}

/** The record, if a process of that number is there. It may be another one by now: only the token tells for sure. */
export async function readRunningPlatform(stateDir: string): Promise<PlatformRecord | undefined> {
  const record = await readPlatformRecord(stateDir)
  return record !== undefined && isProcess(record.pid) ? record : undefined
}

function isProcess(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Readable by its owner alone from the first byte on, and whole or not there at all. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomUUID()}`
  const file = await open(temporary, 'wx', 0o600)
  try {
    await file.writeFile(text)
  } finally {
    await file.close()
  }
  await rename(temporary, path)
}
