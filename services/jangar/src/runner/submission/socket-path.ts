import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** In bytes, of the name in the folder as well; systems take about a hundred. */
const longestFolderBytes = 90

/** A name of the folder that is short enough for a socket in it. `release` removes what was made for that. */
export async function reachable(
  folder: string,
): Promise<{ readonly folder: string; release(): Promise<void> }> {
  if (Buffer.byteLength(folder) <= longestFolderBytes)
    return { folder, release: () => Promise.resolve() }
  const link = await mkdtemp(join(tmpdir(), 'agents-'))
  await symlink(folder, join(link, 'd'))
  return {
    folder: join(link, 'd'),
    release: () => rm(link, { recursive: true, force: true }),
  }
}
