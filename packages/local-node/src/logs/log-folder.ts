import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pathExists } from '../folder/path-exists.ts'

/** Numbers of the log files. The last one is written to; the first ones are removed when there are too many. */
export async function logSegments(folder: string): Promise<number[]> {
  return segmentNumbers(await readdir(folder).catch(() => []))
}

export function segmentNumbers(names: readonly string[]): number[] {
  return names
    .flatMap((name) => /^log\.(\d+)$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b)
}

export function segmentPath(folder: string, number: number): string {
  return join(folder, `log.${number}`)
}

/** Written when the container has ended and its log is complete. */
export const endedName = 'ended.json'

export function hasEnded(folder: string): Promise<boolean> {
  return pathExists(join(folder, endedName))
}
