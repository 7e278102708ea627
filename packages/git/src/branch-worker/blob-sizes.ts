import { GitError } from '../git-error.ts'
import type { LocalRepository } from './local-repository.ts'

/**
 * The sizes of file contents in bytes. Contents that were left on the server are fetched to disk with one request,
 * because no common server tells the size alone; they are not read.
 */
export async function blobSizes(
  { store, remote }: Pick<LocalRepository, 'store' | 'remote'>,
  oids: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, number>> {
  if (oids.length === 0) return new Map()
  const sizes = await store.sizes(oids)
  const missing = oids.filter((oid) => !sizes.has(oid))
  if (missing.length === 0) return sizes
  await remote.fetchBlobs(missing, signal)
  for (const [oid, size] of await store.sizes(missing)) sizes.set(oid, size)
  const lost = missing.find((oid) => !sizes.has(oid))
  if (lost !== undefined) throw new GitError('local', `the contents of ${lost} are missing`)
  return sizes
}
