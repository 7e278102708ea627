import { execFile } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { agentId } from '../pod-config/container-user.ts'

const setpriv = '/usr/bin/setpriv'

/** The machine's own program: it is resolved before the root changes, never in the container's root. */
function chroot(): string {
  return ['/usr/sbin/chroot', '/usr/bin/chroot'].find((path) => existsSync(path)) ?? '/sbin/chroot'
}

/**
 * Runs the command with another root. `chroot` itself changes the user after the root, so no program or library of
 * the container is loaded as root; with `+`, IDs are not looked up in the container's files either.
 */
export function inRoot(
  root: string,
  user: number | undefined,
  command: readonly string[],
): string[] {
  if (user === undefined) return [chroot(), root, ...command]
  return [
    setpriv,
    '--inh-caps=-all',
    '--bounding-set=-all,+sys_chroot,+setuid,+setgid',
    '--no-new-privs',
    '--',
    chroot(),
    `--userspec=+${user}:+${user}`,
    '--groups=',
    root,
    ...command,
  ]
}

/** Whether the programs of this machine can change the user in this way. Those of BusyBox cannot. */
export async function canChangeUser(): Promise<boolean> {
  const script = 'while read -r name value; do echo "$name $value"; done </proc/self/status'
  const [file = '', ...args] = inRoot('/', agentId, ['/bin/sh', '-c', script])
  const options = { env: { PATH: '/usr/bin:/bin' }, timeout: 10_000 }
  const status = await promisify(execFile)(file, args, options).catch(() => undefined)
  const own = `${agentId}\t${agentId}\t${agentId}\t${agentId}`
  const expected = [
    `Uid: ${own}`,
    `Gid: ${own}`,
    'Groups: ',
    'NoNewPrivs: 1',
    `CapPrm: ${'0'.repeat(16)}`,
  ]
  const lines = (status?.stdout ?? '').split('\n')
  return expected.every((line) => lines.includes(line))
}

/** Whether every user of the machine can read this path. */
export function isOpenToAll(path: string): boolean {
  try {
    if ((statSync(path).mode & 0o004) === 0) return false
    for (let folder = dirname(path); ; folder = dirname(folder)) {
      if ((statSync(folder).mode & 0o001) === 0) return false
      if (folder === '/') return true
    }
  } catch {
    return false
  }
}
