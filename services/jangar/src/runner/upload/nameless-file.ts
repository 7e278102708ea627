import { randomUUID } from 'node:crypto'
import { closeSync, mkdirSync, openSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** A file that is written once, from its start. */
export interface NamelessFile {
  append(bytes: Uint8Array): void
  /** Undefined if something could not be written: a full disk must not fail the run. */
  descriptor(): number | undefined
  close(): void
}

/**
 * Opens a file in a folder that has no name from the start, so that the program, which has the rights of the runner,
 * can neither change nor replace it.
 */
export function openNamelessFile(folder: string): NamelessFile {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `.kept-${randomUUID()}`)
  const file = openSync(path, 'wx+', 0o600)
  unlinkSync(path)
  let isWhole = true
  return {
    append: (bytes) => {
      if (!isWhole) return
      try {
        for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
      } catch {
        isWhole = false
      }
    },
    descriptor: () => (isWhole ? file : undefined),
    close: () => closeSync(file),
  }
}
