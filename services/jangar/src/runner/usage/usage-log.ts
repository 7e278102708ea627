import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import type { UsageMeter } from './usage-meter.ts'

const largestLogBytes = 4 * 1024 * 1024

/** Reads events from a file that the program wrote. It may be anything, so links and pipes are not read. */
export async function readUsageLog(path: string, meter: UsageMeter): Promise<void> {
  const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined)
  if (file === undefined) return
  try {
    if (!(await file.stat()).isFile()) return
    const buffer = Buffer.alloc(largestLogBytes)
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0)
    for (const line of buffer.toString('utf8', 0, bytesRead).split('\n')) meter.line(line)
  } finally {
    await file.close()
  }
}
