import { createHash } from 'node:crypto'
import { globSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { parse } from 'yaml'

/** Released versions of a chart, each with the digest of its baseline. */
export type ReleasedDigests = Readonly<Record<string, string>>

/**
 * Reads ci/released.yaml. Released versions are listed in a file rather than taken from Git tags, so that a clone
 * without tags knows them too.
 */
export async function releasedDigests(chart: string): Promise<ReleasedDigests> {
  return parse(await readFile(listPath(chart), 'utf8')) as ReleasedDigests
}

/** Lists a version as released: from then on its baseline cannot be changed. Does nothing if it is listed already. */
export async function markReleased(chart: string, version: string): Promise<void> {
  const known = await releasedDigests(chart)
  if (known[version] !== undefined) return
  const text = await readFile(listPath(chart), 'utf8')
  const line = `${version}: ${await baselineDigest(chart, version)}\n`
  await writeFile(listPath(chart), text.replace(/^\{\}\n/m, '') + line)
}

/** Baselines of released versions that were changed or deleted after the release. */
export async function changedReleases(chart: string): Promise<readonly string[]> {
  const entries = Object.entries(await releasedDigests(chart))
  const seen = entries.map(async ([version, digest]) =>
    (await baselineDigest(chart, version)) === digest ? [] : [version],
  )
  return (await Promise.all(seen)).flat()
}

export function baselineFolder(chart: string, version: string): string {
  return join(chart, 'ci', 'baselines', version)
}

function listPath(chart: string): string {
  return join(chart, 'ci', 'released.yaml')
}

/** The digest of the names and contents of all files of a baseline. */
async function baselineDigest(chart: string, version: string): Promise<string> {
  const hash = createHash('sha256')
  for (const path of globSync(join(baselineFolder(chart, version), '*')).sort()) {
    const content = await readFile(path)
    hash.update(`${basename(path)} ${content.length}\n`).update(content)
  }
  return hash.digest('hex')
}
