import { spawn } from 'node:child_process'
import { chown } from 'node:fs/promises'

/** Starts programs as a user other than root: PostgreSQL refuses to run as root. */
export interface Unprivileged {
  command(program: string, args: readonly string[]): readonly [string, readonly string[]]
  readonly ids: { readonly uid?: number; readonly gid?: number }
  /** Makes the program the owner of a path, if it runs as another user. */
  own(path: string): Promise<void>
}

/** The id of the user `nobody`. */
const nobody = 65_534

/**
 * A user other than root is kept. Root becomes another user in a user namespace, in which it still owns its files;
 * where that is not allowed, as in many containers, it becomes `nobody`, which can only run programs that all users can
 * read.
 */
export async function unprivileged(): Promise<Unprivileged> {
  if (process.getuid?.() !== 0) return asIs
  return (await canUnshare()) ? inUserNamespace : asNobody
}

const asIs: Unprivileged = {
  command: (program, args) => [program, args],
  ids: {},
  own: async () => undefined,
}

const unshare = ['--user', `--map-user=${nobody}`, `--map-group=${nobody}`, '--']

const inUserNamespace: Unprivileged = {
  command: (program, args) => ['unshare', [...unshare, program, ...args]],
  ids: {},
  own: async () => undefined,
}

const asNobody: Unprivileged = {
  command: (program, args) => [program, args],
  ids: { uid: nobody, gid: nobody },
  own: (path) => chown(path, nobody, nobody),
}

function canUnshare(): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = spawn('unshare', [...unshare, 'true'], { stdio: 'ignore' })
    probe.once('error', () => resolve(false))
    probe.once('close', (code) => resolve(code === 0))
  })
}
