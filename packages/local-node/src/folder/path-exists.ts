import { lstatSync } from 'node:fs'
import { access } from 'node:fs/promises'

export function pathExists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

/** Synchronous. A link exists even if its target does not. */
export function entryExists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}
