import { randomUUID } from 'node:crypto'
import { open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** The file in the state folder with which other commands find a running platform. Readable by its owner alone. */
export interface PlatformRecord {
  readonly pid: number
  /** Of the API server. */
  readonly url: string
  readonly kubeconfig: string
  /** Port of the control server on 127.0.0.1, whose requests need the token. */
  readonly controlPort: number
  readonly token: string
  readonly startedAt: string
}

const fileName = 'platform.json'

/** The kubeconfig of the platform as JSON, in the state folder. */
export const jsonKubeconfig = 'kubeconfig.json'

export async function writePlatformRecord(stateDir: string, record: PlatformRecord): Promise<void> {
  await writePrivateFile(join(stateDir, fileName), `${JSON.stringify(record, undefined, 2)}\n`)
}

export async function removePlatformRecord(stateDir: string): Promise<void> {
  await rm(join(stateDir, fileName), { force: true })
}

/** Reads the record, which a killed platform leaves behind. */
export async function readPlatformRecord(stateDir: string): Promise<PlatformRecord | undefined> {
  try {
    return JSON.parse(await readFile(join(stateDir, fileName), 'utf8')) as PlatformRecord
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR' || error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Reads the record if a process with its pid exists. It may be another process by now, which only the token proves. */
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

/** Writes a file atomically, readable by its owner alone from the first byte. */
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
