import { execFile } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'

/**
 * Unmounts and removes the folder of an engine. Engines leave mounts in the folders of their layers, and podman starts
 * a program that mounts one again after a container has ended. What cannot be removed within half a minute stays in the
 * temporary folder.
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

/** Without root, only podman can remove files that belong to its subordinate users. */
async function removed(folder: string): Promise<boolean> {
  if (process.getuid?.() !== 0) {
    await promisify(execFile)('podman', ['unshare', 'rm', '-rf', folder]).catch(() => undefined)
  }
  return rm(folder, { recursive: true, force: true }).then(
    () => true,
    () => false,
  )
}
