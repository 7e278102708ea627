import { mkdir, readFile, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** What is where in the folder that a platform keeps everything in. */
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
  /** There once the sample has been shown. */
  readonly sampleShown: string
}

const largestLog = 16 * 1024 * 1024

export async function openStateFolder(root: string): Promise<StateFolder> {
  // Keys and what agents have written are nobody else's business.
  await mkdir(root, { recursive: true, mode: 0o700 })
  const folder: StateFolder = {
    root,
    cluster: join(root, 'cluster'),
    node: join(root, 'node'),
    database: join(root, 'postgres'),
    programs: join(root, 'bin'),
    kubeconfig: join(root, 'kubeconfig'),
    log: join(root, 'platform.log'),
    sampleShown: join(root, 'sample-shown'),
  }
  const { size } = await stat(folder.log).catch(() => ({ size: 0 }))
  if (size > largestLog) await rename(folder.log, `${folder.log}.1`)
  return folder
}

/** The port that the last platform had, so that whoever remembers it finds this one there too. */
export async function lastPort(kubeconfig: string): Promise<number | undefined> {
  const text = await readFile(kubeconfig, 'utf8').catch(() => '')
  const [, port] = /server: https:\/\/127\.0\.0\.1:(\d+)/.exec(text) ?? []
  return port === undefined ? undefined : Number(port)
}
