import { lstatSync } from 'node:fs'
import { access } from 'node:fs/promises'

export function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

/** At once. A link counts wherever it leads. */
export function hasName(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}
