import { mkdirSync, realpathSync } from 'node:fs'
import { join, normalize, relative, sep } from 'node:path'
import { hasName } from './is-there.ts'

/** A path leads out of where it belongs. */
export class EscapeError extends Error {
  override name = 'EscapeError'
}

/** The segments of a relative path that cannot lead upwards, whatever is on the disk. */
export function segmentsOf(path: string): string[] {
  if (path.startsWith('/')) throw new EscapeError(`${JSON.stringify(path)} must be relative`)
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.')
  if (segments.includes('..') || path.includes('\0')) {
    throw new EscapeError(`${JSON.stringify(path)} must stay below where it starts`)
  }
  return segments
}

/** An absolute path in its shortest form; going up from the root stays at the root. */
export function absolutePath(path: string): string {
  if (path.includes('\0')) throw new EscapeError('a path cannot hold a zero byte')
  const normal = normalize(`/${path}`)
  return normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal
}

export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !way.startsWith('/'))
}

/**
 * Makes the folders of `segments` below `base` and answers with the path. A container may have left links there, so each step
 * must really lie in one of the `allowed` folders before the next is made.
 */
export async function makeInside(
  base: string,
  segments: readonly string[],
  allowed: readonly string[],
): Promise<string> {
  // Names are looked up at once: it takes microseconds, and ten times as long by way of another thread.
  mkdirSync(base, { recursive: true, mode: 0o700 })
  let path = realInside(base, allowed)
  for (const segment of segments) {
    path = join(path, segment)
    if (!hasName(path)) mkdirSync(path)
    path = realInside(path, allowed)
  }
  return path
}

/** Where the path really leads, which must be in one of the `allowed` folders. */
export async function insideOf(path: string, allowed: readonly string[]): Promise<string> {
  return realInside(path, allowed)
}

function realInside(path: string, allowed: readonly string[]): string {
  const real = realpathSync.native(path)
  for (const folder of allowed) {
    const realFolder = realFolderOf(folder)
    if (realFolder !== undefined && isInside(realFolder, real)) return real
  }
  throw new EscapeError(`${JSON.stringify(path)} leads out of the pod's volumes`)
}

function realFolderOf(path: string): string | undefined {
  try {
    return realpathSync.native(path)
  } catch {
    return undefined
  }
}
