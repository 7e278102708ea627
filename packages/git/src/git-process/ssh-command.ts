export interface SshOptions {
  /** A file with a private key. If omitted, the key of the agent that SSH_AUTH_SOCK names. */
  readonly keyFile?: string | undefined
  /** A known_hosts file. If omitted, no host key is known. */
  readonly knownHostsFile?: string | undefined
  /** Whether an unknown host key is refused or trusted; one that differs from a known key is always refused. */
  readonly unknownHostKeys: 'refuse' | 'trust'
}

/**
 * The variables that make git start `ssh` without the settings, keys and host keys of the system and the user. `ssh`
 * finds the user's files through the user database, whatever HOME is, so each of them is disabled by name.
 */
export function sshEnvironment(options: SshOptions): Record<string, string> {
  return { GIT_SSH_COMMAND: sshCommand(options), GIT_SSH_VARIANT: 'ssh' }
}

function sshCommand({ keyFile, knownHostsFile, unknownHostKeys }: SshOptions): string {
  const options = {
    BatchMode: 'yes',
    StrictHostKeyChecking: unknownHostKeys === 'trust' ? 'accept-new' : 'yes',
    UserKnownHostsFile: knownHostsFile === undefined ? '/dev/null' : `"${knownHostsFile}"`,
    GlobalKnownHostsFile: 'none',
    UpdateHostKeys: 'no',
    VerifyHostKeyDNS: 'no',
    ...(keyFile === undefined
      ? { IdentityFile: 'none' }
      : { IdentitiesOnly: 'yes', IdentityAgent: 'none' }),
    PreferredAuthentications: 'publickey',
    ForwardAgent: 'no',
    ClearAllForwardings: 'yes',
    PermitLocalCommand: 'no',
    ControlPath: 'none',
    ConnectTimeout: '15',
    ServerAliveInterval: '10',
    ServerAliveCountMax: '3',
  }
  const words = [
    'ssh',
    ...['-F', 'none'],
    ...(keyFile === undefined ? [] : ['-i', keyFile]),
    ...Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]),
  ]
  return words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
}
