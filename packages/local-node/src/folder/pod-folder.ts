import { existsSync } from 'node:fs'
import { lstat, mkdir, readdir, rm, rmdir, statfs } from 'node:fs/promises'
import { join } from 'node:path'

/** Paths of one pod. Named after its uid, so that a later pod of the same name has its own. */
export interface PodFolder {
  readonly path: string
  readonly volumes: string
  /** In memory if the machine supports it, otherwise in the folder. Removed when the pod has ended. */
  readonly secrets: string
  root(container: string): string
  attempts(container: string): string
  attempt(container: string, number: number): string
}

export interface StateFolder {
  readonly path: string
  pod(uid: string): PodFolder
  /** The data of a claim outlives the pods that use it. */
  claim(uid: string): string
  removeClaim(uid: string): Promise<void>
  podUids(): Promise<string[]>
  /** Removes all files of the pod. */
  remove(uid: string): Promise<void>
  /** Removes the files in memory. */
  removeSecrets(uid: string): Promise<void>
  /** Removes the folder in memory, unless a pod still needs it. */
  close(): Promise<void>
}

class UnsafeNameError extends Error {
  override name = 'UnsafeNameError'
}

/** `removeForced` removes files that containers created as other users. */
export function stateFolder(
  path: string,
  memory: string | undefined,
  removeForced?: (path: string) => Promise<void>,
): StateFolder {
  const secretsOf = (uid: string): string =>
    memory === undefined ? join(path, 'pods', uid, 'secrets') : join(memory, uid)
  const pod = (uid: string): PodFolder => {
    const own = join(path, 'pods', safeName(uid))
    const attempts = (container: string): string => join(own, 'containers', safeName(container))
    return {
      path: own,
      volumes: join(own, 'volumes'),
      secrets: secretsOf(uid),
      root: (container) => join(own, 'roots', safeName(container)),
      attempts,
      attempt: (container, number) => join(attempts(container), String(number)),
    }
  }
  const claim = (uid: string): string => join(path, 'claims', safeName(uid))
  const removeFolder = async (folder: string): Promise<void> => {
    try {
      await rm(folder, { recursive: true, force: true, maxRetries: 3 })
    } catch (error) {
      if (removeForced === undefined) throw error
      await removeForced(folder)
    }
  }
  return {
    path,
    pod,
    claim,
    removeClaim: (uid) => removeFolder(claim(uid)),
    podUids: async () => {
      await mkdir(join(path, 'pods'), { recursive: true, mode: 0o700 })
      return readdir(join(path, 'pods'))
    },
    remove: async (uid) => {
      const { path: own, secrets } = pod(uid)
      await removeFolder(secrets)
      await removeFolder(own)
    },
    removeSecrets: async (uid) => {
      const { secrets } = pod(uid)
      if (existsSync(secrets)) await removeFolder(secrets)
    },
    close: async () => {
      if (memory !== undefined) await rmdir(memory).catch(() => undefined)
    },
  }
}

const tmpfsMagic = 0x01021994

/** A private folder in memory under `parent`; undefined if there is none, or other users can access it. */
export async function memoryFolder(parent: string, name: string): Promise<string | undefined> {
  try {
    if ((await statfs(parent)).type !== tmpfsMagic) return undefined
    const path = join(parent, safeName(name))
    await mkdir(path, { recursive: true, mode: 0o700 })
    // Every user may create folders there, so a folder of that name may belong to an attacker.
    const found = await lstat(path)
    const isOurs = found.isDirectory() && found.uid === process.getuid?.()
    return isOurs && (found.mode & 0o077) === 0 ? path : undefined
  } catch {
    return undefined
  }
}

/** Checked again although the server has validated the names, because they become paths. */
export function safeName(name: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,252}$/.test(name)) {
    throw new UnsafeNameError(`${JSON.stringify(name)} is not a valid file name`)
  }
  return name
}
