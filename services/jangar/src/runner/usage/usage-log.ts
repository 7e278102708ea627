import { openProgramFile } from '../process/program-file.ts'
import type { ReadEvent } from './adapter.ts'
import { createUsageMeter, type UsageMeter } from './usage-meter.ts'

const largestLogBytes = 4 * 1024 * 1024

/** Reads events from a file that the program wrote. */
export async function readUsageLog(
  path: string,
  readEvent: ReadEvent | undefined,
): Promise<UsageMeter> {
  const meter = createUsageMeter(readEvent)
  const file = await openProgramFile(path).catch(() => undefined)
  try {
    const buffer = Buffer.alloc(file === undefined ? 0 : largestLogBytes)
    const { bytesRead = 0 } = (await file?.read(buffer, 0, buffer.length, 0)) ?? {}
    for (const line of buffer.toString('utf8', 0, bytesRead).split('\n')) meter.line(line)
  } finally {
    await file?.close()
  }
  return meter
}
