import { spawn } from 'node:child_process'
import { chown } from 'node:fs/promises'

/** How a program is started so that it is not root: PostgreSQL refuses to be. */
export interface Unprivileged {
  command(program: string, args: readonly string[]): readonly [string, readonly string[]]
  readonly ids: { readonly uid?: number; readonly gid?: number }
  /** Lets the program have a folder. */
  own(path: string): Promise<void>
}

/** An id that nothing else on the machine has. */
const nobody = 65_534

/**
 * Who is not root stays who he is. Root becomes somebody else in a user namespace, in which his files are still his; where
 * that is not allowed, as in many containers, he becomes nobody, who can run only what everybody can read.
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
