import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Stops a server that a killed process left running on this folder. */
export async function endLeftover(dataDir: string): Promise<void> {
  const pid = await leftoverOf(dataDir)
  if (pid === undefined) return
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    process.kill(pid, signal)
    for (let tries = 0; tries < 50; tries += 1) {
      if ((await leftoverOf(dataDir)) === undefined) return
      await sleep(100)
    }
  }
}

/** The pid in the lock file, if it is still a server of this folder: pids are reused. */
async function leftoverOf(dataDir: string): Promise<number | undefined> {
  const lock = await readFile(join(dataDir, 'postmaster.pid'), 'utf8').catch(() => '')
  const pid = Number.parseInt(lock, 10)
  if (!(pid > 1)) return undefined
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  return command.split('\0').includes(dataDir) ? pid : undefined
}
