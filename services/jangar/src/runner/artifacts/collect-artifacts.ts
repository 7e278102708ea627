import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { Artifact } from '../../run-contract/artifact.ts'
import type { CollectedArtifact } from '../../run-contract/run-result.ts'

interface Collected {
  readonly artifacts: readonly CollectedArtifact[]
  /** Names of declared artifacts that do not exist. */
  readonly missing: readonly string[]
}

const largestHashedBytes = 256 * 1024 * 1024

/** Finds the declared artifacts. Missing ones are reported and do not fail the run, since many are optional. */
export async function collectArtifacts(
  declared: readonly Artifact[],
  locate: (path: string) => string,
  /** Returns the key of what it has uploaded. */
  upload?: (name: string, path: string) => Promise<string | undefined>,
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
    const found = path === undefined ? {} : await describeFile(locate(path))
    if (found === undefined) {
      missing.push(name)
      continue
    }
    const uploaded = path === undefined ? undefined : await upload?.(name, locate(path))
    artifacts.push({ ...location, ...(uploaded !== undefined && { key: uploaded }), ...found })
  }
  return { artifacts, missing }
}

type Facts = Pick<CollectedArtifact, 'bytes' | 'sha256'>

async function describeFile(path: string): Promise<Facts | undefined> {
  const entry = await stat(path).catch(() => undefined)
  if (entry === undefined) return undefined
  if (!entry.isFile()) return {}
  if (entry.size > largestHashedBytes) return { bytes: entry.size }
  const hash = createHash('sha256')
  try {
    await pipeline(createReadStream(path), hash)
  } catch {
    // It was deleted or became unreadable.
    return undefined
  }
  return { bytes: entry.size, sha256: hash.digest('hex') }
}
