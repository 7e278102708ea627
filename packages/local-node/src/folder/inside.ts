import { mkdirSync, realpathSync } from 'node:fs'
import { join, normalize, relative, sep } from 'node:path'
import { entryExists } from './path-exists.ts'

/** A path leads out of the folder that it must stay in. */
export class EscapeError extends Error {
  override name = 'EscapeError'
}

/** The segments of a relative path, which must not lead upwards. */
export function segmentsOf(path: string): string[] {
  if (path.startsWith('/')) throw new EscapeError(`path ${JSON.stringify(path)} must be relative`)
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.')
  if (segments.includes('..') || path.includes('\0')) {
    throw new EscapeError(`path ${JSON.stringify(path)} must not contain .. or a zero byte`)
  }
  return segments
}

/** A normalized absolute path; `..` at the root stays at the root. */
export function absolutePath(path: string): string {
  if (path.includes('\0')) throw new EscapeError('a path cannot contain a zero byte')
  const normal = normalize(`/${path}`)
  return normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal
}

export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !way.startsWith('/'))
}

/**
 * Creates the folders of `segments` below `base` and returns the path. A container may have created links there, so
 * the real path of each folder must be in one of the `allowed` folders before the next is created.
 */
export async function makeInside(
  base: string,
  segments: readonly string[],
  allowed: readonly string[],
): Promise<string> {
  // Synchronous: this takes microseconds, and ten times as long through the thread pool.
  mkdirSync(base, { recursive: true, mode: 0o700 })
  let path = realInside(base, allowed)
  for (const segment of segments) {
    path = join(path, segment)
    if (!entryExists(path)) mkdirSync(path)
    path = realInside(path, allowed)
  }
  return path
}

/** The real path, which must be in one of the `allowed` folders. */
export async function insideOf(path: string, allowed: readonly string[]): Promise<string> {
  return realInside(path, allowed)
}

function realInside(path: string, allowed: readonly string[]): string {
  const real = realpathSync.native(path)
  for (const folder of allowed) {
    const realFolder = realFolderOf(folder)
    if (realFolder !== undefined && isInside(realFolder, real)) return real
  }
  throw new EscapeError(`path ${JSON.stringify(path)} leads out of the volumes of the pod`)
}

function realFolderOf(path: string): string | undefined {
  try {
    return realpathSync.native(path)
  } catch {
    return undefined
  }
}
