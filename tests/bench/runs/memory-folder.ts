import { access, constants, statfs } from 'node:fs/promises'

/** What the node keeps of the runs of a benchmark, with some room. */
const neededBytes = 2 ** 30

/**
 * A folder in memory, if the machine has one that is large enough. On ext4, a new file costs up to half a millisecond
 * of processor time for minutes after many others were deleted, because the kernel does not reuse their inodes yet:
 * each round would pay for what the round before has removed, and a run, whose pod has twice the files, twice as much
 * as a bare Job.
 */
export async function memoryFolder(): Promise<string | undefined> {
  const folder = '/dev/shm'
  try {
    await access(folder, constants.W_OK)
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize >= neededBytes ? folder : undefined
  } catch {
    return undefined
  }
}
