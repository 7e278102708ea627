import { lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

export interface LogFile {
  /** Never fails: a full disk must not fail a successful run. */
  write(text: string): Promise<void>
  close(): Promise<void>
}

interface LogOptions {
  readonly retentionMs: number
  readonly now: Date
}

/** The log file stops growing at this size; standard output is not limited. */
const largestLogBytes = 64 * 1024 * 1024

/** Opens a new log. The log of an earlier run is renamed and kept until it is too old. */
export async function openLog(path: string, { retentionMs, now }: LogOptions): Promise<LogFile> {
  await mkdir(dirname(path), { recursive: true })
  await setAside(path)
  await removeOld(path, now.getTime() - retentionMs)
  const file = await open(path, 'wx', 0o644)
  let room = largestLogBytes
  return {
    async write(text) {
      if (room <= 0) return
      const bytes = Buffer.from(text)
      const isLast = bytes.length >= room
      const content = isLast ? Buffer.concat([bytes.subarray(0, room), logFullNotice]) : bytes
      room -= bytes.length
      await file.appendFile(content).catch(() => {
        room = 0
      })
    },
    close: () => file.close(),
  }
}

const logFullNotice = Buffer.from(
  '\n… the log file is full; further output is on standard output only\n',
)

/** Anything else than a log, such as a pipe or a link that the program of an earlier run has left, is removed. */
async function setAside(path: string): Promise<void> {
  const earlier = await lstat(path).catch(() => undefined)
  if (earlier?.isFile() !== true || earlier.size === 0) {
    await rm(path, { recursive: true, force: true })
    return
  }
  await rename(path, `${path}.${earlier.mtime.toISOString().replaceAll(':', '-')}`)
}

async function removeOld(path: string, before: number): Promise<void> {
  const folder = dirname(path)
  const prefix = `${basename(path)}.`
  for (const name of await readdir(folder)) {
    if (!name.startsWith(prefix)) continue
    const { mtimeMs } = await lstat(join(folder, name))
    if (mtimeMs < before) await rm(join(folder, name), { force: true })
  }
}
