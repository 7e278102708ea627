import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isLoopback, parseRemoteUrl, type RemoteUrl } from '../remote-url/remote-url.ts'
import { certificatesIn } from './certificates.ts'
import { authorizationOf, type Credentials, secretsOf } from './credentials.ts'
import type { GitConfig } from './git-environment.ts'
import { GitError } from './git-error.ts'
import { checkKnownHosts } from './known-hosts.ts'
import { SshAgent } from './ssh-agent.ts'

/** A remote repository and how we are let in. */
export interface Connection {
  readonly url: string
  readonly credentials: Credentials
  /** The host keys to trust, as a known_hosts text. SSH does nothing without. */
  readonly knownHosts?: string
  /** Certificates to trust beside none other, as PEM; without them those of the system. */
  readonly caCertificates?: string
  /** What production does not need: repositories on this machine, HTTP without TLS to this machine. */
  readonly allow?: { readonly file?: boolean; readonly loopbackHttp?: boolean }
}

/** What `git` processes need to use a connection, and the lifetime of what stands behind it. */
export interface OpenConnection {
  readonly url: RemoteUrl
  readonly protocols: readonly string[]
  readonly config: GitConfig
  readonly env: Readonly<Record<string, string>>
  readonly secrets: readonly string[]
  close(): Promise<void>
}

export interface OpenConnectionOptions {
  /** A directory of our own; nothing secret is put there. */
  readonly directory: string
  readonly path: string
  readonly signal?: AbortSignal | undefined
}

export const openConnection = async (
  connection: Connection,
  { directory, path, signal }: OpenConnectionOptions,
): Promise<OpenConnection> => {
  const url = checkConnection(connection)
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const base = {
    url,
    protocols: [url.scheme],
    env: {},
    secrets: secretsOf(connection.credentials),
    close: () => Promise.resolve(),
  }
  if (url.scheme === 'ssh') {
    return { ...base, config: [], ...(await openSsh(connection, directory, path, signal)) }
  }
  return { ...base, config: await httpConfig(connection, directory) }
}

/** Refuses what we would not use, before anything is started. */
export const checkConnection = ({
  url: text,
  credentials,
  knownHosts,
  caCertificates,
  allow = {},
}: Connection): RemoteUrl => {
  const url = parseRemoteUrl(text)
  if (url.scheme === 'file' && allow.file !== true) {
    throw new GitError('refused', 'repositories on this machine are not allowed')
  }
  if (url.scheme === 'http' && !(allow.loopbackHttp === true && isLoopback(url.host))) {
    throw new GitError('refused', 'HTTP without TLS is not allowed')
  }
  if (url.scheme === 'ssh') {
    if (credentials.kind !== 'ssh') throw new GitError('refused', 'an SSH URL needs an SSH key')
    if (knownHosts === undefined) {
      throw new GitError('host-key', `no host keys are known, so ${url.host} cannot be trusted`)
    }
    checkKnownHosts(knownHosts)
  } else if (credentials.kind === 'ssh') {
    throw new GitError('refused', `an SSH key cannot be used with ${url.scheme}`)
  }
  if (url.scheme === 'https' && caCertificates !== undefined) certificatesIn(caCertificates)
  if (/[\r\n\0]/.test(authorizationOf(credentials) ?? '')) {
    throw new GitError('refused', 'the credentials hold a line break')
  }
  return url
}

const httpConfig = async (connection: Connection, directory: string): Promise<GitConfig> => {
  const config: [string, string][] = []
  const authorization = authorizationOf(connection.credentials)
  if (authorization !== undefined)
    config.push(['http.extraHeader', `Authorization: ${authorization}`])
  if (connection.caCertificates !== undefined) {
    const file = join(directory, 'ca.pem')
    const others = join(directory, 'no-other-authorities')
    await writeFile(file, certificatesIn(connection.caCertificates).join(''))
    await mkdir(others, { recursive: true })
    // Without a folder of our own libcurl would trust the system's too.
    config.push(['http.sslCAInfo', file], ['http.sslCAPath', others])
  }
  return config
}

const openSsh = async (
  { credentials, knownHosts = '' }: Connection,
  directory: string,
  path: string,
  signal: AbortSignal | undefined,
): Promise<Pick<OpenConnection, 'env' | 'close'>> => {
  if (credentials.kind !== 'ssh') throw new GitError('refused', 'an SSH URL needs an SSH key')
  const file = join(directory, 'known_hosts')
  await writeFile(file, `${knownHosts.trim()}\n`)
  const { privateKey, passphrase } = credentials
  const agent = await SshAgent.start({ privateKey, passphrase, path, signal })
  return {
    env: { SSH_AUTH_SOCK: agent.socket, GIT_SSH_VARIANT: 'ssh', GIT_SSH_COMMAND: sshCommand(file) },
    close: () => agent.close(),
  }
}

/** `ssh` finds the user's files by the user database, whatever HOME says, so each is switched off by name. */
const sshCommand = (knownHostsFile: string): string =>
  [
    'ssh -F none',
    ...Object.entries({
      BatchMode: 'yes',
      StrictHostKeyChecking: 'yes',
      UserKnownHostsFile: `"${knownHostsFile}"`,
      GlobalKnownHostsFile: 'none',
      UpdateHostKeys: 'no',
      VerifyHostKeyDNS: 'no',
      IdentityFile: 'none',
      PreferredAuthentications: 'publickey',
      ForwardAgent: 'no',
      ClearAllForwardings: 'yes',
      PermitLocalCommand: 'no',
      ControlPath: 'none',
      ConnectTimeout: '15',
      ServerAliveInterval: '10',
      ServerAliveCountMax: '3',
    }).map(([name, value]) => `-o '${name}=${value}'`),
  ].join(' ')
