import { execFile, spawn } from 'node:child_process'
import { access, mkdir, readFile, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from '../testbed/free-port.ts'

const run = promisify(execFile)

const sshdPath = '/usr/sbin/sshd'

export function sshdAvailable(): Promise<boolean> {
  return access(sshdPath).then(
    () => true,
    () => false,
  )
}

export interface SshServer {
  url(path: string): string
  /** The server's host key, in known_hosts format. */
  readonly knownHosts: string
  close(): void
}

/** Writes a new key pair and returns the private half. */
export async function makeKey(file: string, passphrase = '', type = 'ed25519'): Promise<string> {
  await run('ssh-keygen', ['-q', '-t', type, '-N', passphrase, '-C', 'test', '-f', file])
  return readFile(file, 'utf8')
}

/** A real sshd on a free port that accepts the given keys. */
export async function startSshServer(
  directory: string,
  authorizedKeys: readonly string[],
): Promise<SshServer> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  // The privilege separation directory of sshd, which the system service would create.
  await mkdir('/run/sshd', { recursive: true }).catch(() => undefined)
  const hostKey = join(directory, 'host-key')
  await makeKey(hostKey)
  const authorized = join(directory, 'authorized_keys')
  await writeFile(authorized, authorizedKeys.join(''), { mode: 0o600 })
  const port = await freePort()
  const config = join(directory, 'sshd_config')
  await writeFile(
    config,
    [
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${hostKey}`,
      `AuthorizedKeysFile ${authorized}`,
      `PidFile ${join(directory, 'pid')}`,
      'StrictModes no',
      'UsePAM no',
      'PasswordAuthentication no',
      'PermitRootLogin yes',
      '',
    ].join('\n'),
  )
  const child = spawn(sshdPath, ['-D', '-e', '-f', config], { stdio: 'ignore' })
  const publicKey = await readFile(`${hostKey}.pub`, 'utf8')
  const knownHosts = `[127.0.0.1]:${port} ${publicKey}`
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const scanned = await run('ssh-keyscan', ['-p', String(port), '127.0.0.1']).catch(
      () => undefined,
    )
    if (scanned?.stdout.includes('ssh-ed25519')) break
    await delay(50)
  }
  return {
    url: (path) => `ssh://${userInfo().username}@127.0.0.1:${port}${path}`,
    knownHosts,
    close: () => void child.kill(),
  }
}
