import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

export interface LogFile {
  /** Never fails: a full disk must not end a run that goes well. */
  write(text: string): Promise<void>
  close(): Promise<void>
}

export interface LogOptions {
  readonly retentionMs: number
  readonly now: Date
}

/** Beyond this the file stops growing; standard output goes on. */
const LARGEST_LOG = 64 * 1024 * 1024

/** A fresh log. An earlier run's log in the same place is kept beside it until it is too old. */
export async function openLog(path: string, { retentionMs, now }: LogOptions): Promise<LogFile> {
  await mkdir(dirname(path), { recursive: true })
  await setAside(path)
  await removeOld(path, now.getTime() - retentionMs)
  const file = await open(path, 'w', 0o644)
  let room = LARGEST_LOG
  return {
    async write(text) {
      if (room <= 0) return
      const bytes = Buffer.from(text)
      const isLast = bytes.length >= room
      const content = isLast ? Buffer.concat([bytes.subarray(0, room), END_OF_ROOM]) : bytes
      room -= bytes.length
      await file.appendFile(content).catch(() => {
        room = 0
      })
    },
    close: () => file.close(),
  }
}

const END_OF_ROOM = Buffer.from('\n… the log is full; the rest went to standard output only\n')

async function setAside(path: string): Promise<void> {
  const earlier = await stat(path).catch(() => undefined)
  if (earlier?.isFile() !== true || earlier.size === 0) return
  await rename(path, `${path}.${earlier.mtime.toISOString().replaceAll(':', '-')}`)
}

async function removeOld(path: string, before: number): Promise<void> {
  const folder = dirname(path)
  const prefix = `${basename(path)}.`
  for (const name of await readdir(folder)) {
    if (!name.startsWith(prefix)) continue
    const { mtimeMs } = await stat(join(folder, name))
    if (mtimeMs < before) await rm(join(folder, name), { force: true })
  }
}
