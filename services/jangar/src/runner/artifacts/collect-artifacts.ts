import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { Artifact } from '../contract/artifact.ts'
import type { CollectedArtifact } from '../contract/run-result.ts'

export interface Collected {
  readonly artifacts: readonly CollectedArtifact[]
  /** Names of those that are not there. */
  readonly missing: readonly string[]
}

const LARGEST_HASHED = 256 * 1024 * 1024

/** Looks for what the program should have left behind. Missing ones are told, and fail nothing: many are there only sometimes. */
export async function collectArtifacts(
  declared: readonly Artifact[],
  locate: (path: string) => string,
): Promise<Collected> {
  const artifacts: CollectedArtifact[] = []
  const missing: string[] = []
  for (const { name, path, key, url } of declared) {
    const location = {
      name,
      ...(path !== undefined && { path }),
      ...(key !== undefined && { key }),
      ...(url !== undefined && { url }),
    }
    const found = path === undefined ? {} : await look(locate(path))
    if (found === undefined) missing.push(name)
    else artifacts.push({ ...location, ...found })
  }
  return { artifacts, missing }
}

type Facts = Pick<CollectedArtifact, 'bytes' | 'sha256'>

async function look(path: string): Promise<Facts | undefined> {
  const entry = await stat(path).catch(() => undefined)
  if (entry === undefined) return undefined
  if (!entry.isFile()) return {}
  if (entry.size > LARGEST_HASHED) return { bytes: entry.size }
  const hash = createHash('sha256')
  try {
    await pipeline(createReadStream(path), hash)
  } catch {
    // Gone or unreadable by now.
    return undefined
  }
  return { bytes: entry.size, sha256: hash.digest('hex') }
}
