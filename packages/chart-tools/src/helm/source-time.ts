import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/**
 * The time of a release: SOURCE_DATE_EPOCH if it is set, otherwise the time of the commit that is checked out.
 */
export async function sourceTime(root: string, epoch: string | undefined): Promise<Date> {
  const seconds = epoch ?? (await commitTime(root))
  if (!/^\d+$/.test(seconds)) {
    throw new Error(`SOURCE_DATE_EPOCH must be a number of seconds, not ${JSON.stringify(epoch)}`)
  }
  return new Date(Number(seconds) * 1000)
}

async function commitTime(root: string): Promise<string> {
  const { stdout } = await promisify(execFile)('git', ['-C', root, 'log', '-1', '--format=%ct'])
  return stdout.trim()
}
