import { access, constants, mkdir, readFile, rename, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { CommandFailure } from '../cli/command-failure.ts'
import { exitCode } from '../cli/exit-code.ts'

/** Paths in the state folder of a platform. */
export interface StateFolder {
  readonly root: string
  /** Objects and keys of the API server. */
  readonly cluster: string
  /** Pods, their logs and volumes. */
  readonly node: string
  /** The database of the control plane. */
  readonly database: string
  /** Programs that pods find on their PATH. */
  readonly programs: string
  readonly kubeconfig: string
  readonly log: string
  /** Exists after the sample has been shown. */
  readonly sampleMarker: string
}

const largestLog = 16 * 1024 * 1024

export async function openStateFolder(root: string): Promise<StateFolder> {
  await makeFolder(root)
    .then(() => access(root, constants.W_OK))
    .catch((cause: NodeJS.ErrnoException) => {
      throw new CommandFailure(
        `${root} cannot be used as the state folder: ${explanations[cause.code ?? ''] ?? cause.message}`,
        {
          code: exitCode.usage,
          advice: ['Choose another folder with --state-dir or AGENTCTL_STATE_DIR.'],
          cause,
        },
      )
    })
  const folder: StateFolder = {
    root,
    cluster: join(root, 'cluster'),
    node: join(root, 'node'),
    database: join(root, 'postgres'),
    programs: join(root, 'bin'),
    kubeconfig: join(root, 'kubeconfig'),
    log: join(root, 'platform.log'),
    sampleMarker: join(root, 'sample-shown'),
  }
  const { size } = await stat(folder.log).catch(() => ({ size: 0 }))
  if (size > largestLog) await rename(folder.log, `${folder.log}.1`)
  return folder
}

const explanations: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EROFS: 'the file system is read-only',
  EEXIST: 'it is not a folder',
  ENOTDIR: 'a parent is not a folder',
  ENOSPC: 'the disk is full',
}

/**
 * Creates a folder and its parents one by one: a recursive mkdir on a read-only or virtual file system fails with a
 * wrong error, or hangs.
 */
async function makeFolder(path: string): Promise<void> {
  // Other users must not read keys or the output of agents.
  const make = (): Promise<void> => mkdir(path, { mode: 0o700 })
  await make()
    .catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT' || (await isFolder(dirname(path)))) throw error
      await makeFolder(dirname(path))
      await make()
    })
    .catch(async (error: NodeJS.ErrnoException) => {
      if (!(await isFolder(path))) throw error
    })
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

/** The port of the last start, so that kubeconfigs that were copied stay valid. */
export async function lastPort(kubeconfig: string): Promise<number | undefined> {
  const text = await readFile(kubeconfig, 'utf8').catch(() => '')
  const [, port] = /server: https:\/\/127\.0\.0\.1:(\d+)/.exec(text) ?? []
  return port === undefined ? undefined : Number(port)
}
