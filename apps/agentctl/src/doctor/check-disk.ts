import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Finding } from '@agents/jangar'

const mebibyte = 1024 * 1024
/** Below this, the API server soon cannot store objects. */
const badBytes = 100 * mebibyte
/** Below this, the work tree of one run may not fit. */
const doubtfulBytes = 1024 * mebibyte

/** Checks the space on the disk of the state folder, or of its nearest parent if it does not exist yet. */
export async function checkDisk(stateDir: string): Promise<Finding> {
  try {
    const { bavail, bsize } = await statfs(stateDir)
    return diskFinding(stateDir, bavail * bsize)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return await checkDisk(dirname(stateDir))
  }
}

export function diskFinding(folder: string, freeBytes: number): Finding {
  const about = 'disk'
  const says = `${Math.floor(freeBytes / mebibyte).toLocaleString('en')} MiB are free in ${folder}`
  if (freeBytes >= doubtfulBytes) return { about, verdict: 'good', says }
  const advice = [
    'Free some space, or choose a folder on another disk with --state-dir. Objects, logs and work trees of runs need it.',
  ]
  return { about, verdict: freeBytes < badBytes ? 'bad' : 'doubtful', says, advice }
}
