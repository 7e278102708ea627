import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'

/**
 * Runs `work` while no other process holds the same lock file. SQLite's file lock is used because the kernel releases
 * it when its holder dies for any reason, so that stale locks need no detection.
 */
export async function withProcessLock<T>(
  path: string,
  onWait: () => void,
  work: () => Promise<T>,
): Promise<T> {
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    let waited = 0
    while (!tryLock(database)) {
      if (waited % 15 === 0) onWait()
      waited += 1
      await delay(1000)
    }
    return await work()
  } finally {
    database.close()
  }
}

const sqliteBusy = 5

function tryLock(database: DatabaseSync): boolean {
  try {
    database.exec('BEGIN EXCLUSIVE')
    return true
  } catch (error) {
    if ((error as { readonly errcode?: number }).errcode === sqliteBusy) return false
    throw error
  }
}
