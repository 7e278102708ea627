import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BareRemote } from '../../../packages/git/src/testing/bare-remote.ts'

/** Makes the repository unreachable until the returned function is called. */
export async function takeAway(remote: BareRemote): Promise<() => Promise<void>> {
  const hidden = `${remote.path}.away`
  await rename(remote.path, hidden)
  return () => rename(hidden, remote.path)
}

/** Installs a hook that runs on the server's side of each push. */
export async function setHook(remote: BareRemote, name: string, script: string): Promise<void> {
  const directory = join(remote.path, 'hooks')
  await mkdir(directory, { recursive: true })
  const file = join(directory, name)
  await writeFile(file, `#!/bin/sh\n${script}\n`)
  await chmod(file, 0o755)
}

export async function removeHook(remote: BareRemote, name: string): Promise<void> {
  await rm(join(remote.path, 'hooks', name), { force: true })
}

/** A hook script that runs only once. */
export function once(remote: BareRemote, script: string): string {
  return `mkdir ${join(remote.directory, 'done')} 2>/dev/null || exit 0\n${script}`
}
