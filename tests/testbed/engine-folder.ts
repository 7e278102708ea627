import { execFile } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'

/**
 * Engines leave mounts in the folders of their layers, and podman a program that makes one once more after a container has ended.
 * What cannot be taken away within half a minute stays where temporary files are.
 */
export async function removeEngineFolder(folder: string): Promise<void> {
  for (let tries = 0; tries < 150; tries += 1) {
    for (const mount of await mountsIn(folder)) {
      await promisify(execFile)('umount', ['--lazy', mount]).catch(() => undefined)
    }
    if (await removed(folder)) return
    await delay(200)
  }
}

async function mountsIn(folder: string): Promise<string[]> {
  const lines = (await readFile('/proc/self/mounts', 'utf8')).split('\n')
  return lines.map((line) => line.split(' ')[1] ?? '').filter((path) => path.startsWith(folder))
}

/** Files of users whom only podman can be are taken away by it. */
async function removed(folder: string): Promise<boolean> {
  if (process.getuid?.() !== 0) {
    await promisify(execFile)('podman', ['unshare', 'rm', '-rf', folder]).catch(() => undefined)
  }
  return rm(folder, { recursive: true, force: true }).then(
    () => true,
    () => false,
  )
}
