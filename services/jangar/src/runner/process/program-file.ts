import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/**
 * Opens a file that the program may have made, for reading. Links and everything that is not a plain file are refused:
 * opening a pipe waits until somebody writes to it.
 */
export async function openProgramFile(path: string): Promise<FileHandle> {
  const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  if ((await file.stat()).isFile()) return file
  await file.close()
  throw new Error(`${path} is not a file`)
}
