import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { readLog } from '../logs/read-log.ts'
import type { AttemptIntent } from './attempt-record.ts'

const longestMessage = 4096
const longestFromLog = 2048
const linesFromLog = 80

/** The termination message of a container, or the end of its log if it failed without one. */
export async function terminationMessage(
  folder: string,
  { messagePath, fallBackToLog }: AttemptIntent,
  exitCode: number,
): Promise<string | undefined> {
  const own = await head(messagePath)
  if (own !== '') return own
  if (!fallBackToLog || exitCode === 0) return undefined
  const pieces: Buffer[] = []
  const options = { follow: false, timestamps: false, tailLines: linesFromLog }
  for await (const piece of readLog(folder, options, new AbortController().signal)) {
    pieces.push(piece)
  }
  const text = Buffer.concat(pieces)
  return wholeText(text.subarray(Math.max(0, text.length - longestFromLog))) || undefined
}

async function head(path: string): Promise<string> {
  // The container may have put a link or a pipe there: the node may read more than it, and would wait for a writer.
  const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined)
  if (file === undefined) return ''
  try {
    if (!(await file.stat()).isFile()) return ''
    const { buffer, bytesRead } = await file.read(Buffer.alloc(longestMessage), 0, longestMessage)
    return wholeText(buffer.subarray(0, bytesRead))
  } catch {
    return ''
  } finally {
    await file.close()
  }
}

/** Removes the rest of a character that was cut. */
function wholeText(bytes: Buffer): string {
  return bytes.toString('utf8').replace(/^\uFFFD+|\uFFFD+$/g, '')
}
