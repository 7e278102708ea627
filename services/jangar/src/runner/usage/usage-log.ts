import { openProgramFile } from '../process/program-file.ts'
import type { UsageMeter } from './usage-meter.ts'

const largestLogBytes = 4 * 1024 * 1024

/** Reads events from a file that the program wrote. */
export async function readUsageLog(path: string, meter: UsageMeter): Promise<void> {
  const file = await openProgramFile(path).catch(() => undefined)
  if (file === undefined) return
  try {
    const buffer = Buffer.alloc(largestLogBytes)
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0)
    for (const line of buffer.toString('utf8', 0, bytesRead).split('\n')) meter.line(line)
  } finally {
    await file.close()
  }
}
