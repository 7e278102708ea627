import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { GitError } from '../git-error.ts'
import { isLoopback, parseRemoteUrl, type RemoteUrl } from '../remote-url/remote-url.ts'
import { certificatesIn } from './certificates.ts'
import { authorizationOf, type Credentials, secretsOf } from './credentials.ts'
import { authorizationConfig, type GitConfig } from './git-environment.ts'
import { checkKnownHosts } from './known-hosts.ts'
import { SshAgent } from './ssh-agent.ts'
import { sshEnvironment } from './ssh-command.ts'

/** A remote repository and how to access it. */
export interface Connection {
  readonly url: string
  readonly credentials: Credentials
  /** The host keys to trust, as a known_hosts text. Required for SSH. */
  readonly knownHosts?: string
  /** The only certificates to trust, as PEM. If omitted, those of the system. */
  readonly caCertificates?: string
  /** For use without a server: repositories on this machine, and HTTP without TLS to this machine. */
  readonly allow?: { readonly file?: boolean; readonly loopbackHttp?: boolean }
}

/** What `git` processes need to use a connection. `close` ends the resources behind it. */
export interface OpenConnection {
  readonly url: RemoteUrl
  readonly protocols: readonly string[]
  readonly config: GitConfig
  readonly env: Readonly<Record<string, string>>
  readonly secrets: readonly string[]
  close(): Promise<void>
}

interface OpenConnectionOptions {
  /** A private directory. No secret is written to it. */
  readonly directory: string
  readonly path: string
  readonly signal?: AbortSignal | undefined
}

export async function openConnection(
  connection: Connection,
  { directory, path, signal }: OpenConnectionOptions,
): Promise<OpenConnection> {
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
  return { ...base, config: await httpConfig(connection, url, directory) }
}

/** Throws if the connection is not acceptable, before any process is started. */
export function checkConnection({
  url: text,
  credentials,
  knownHosts,
  caCertificates,
  allow = {},
}: Connection): RemoteUrl {
  const url = parseRemoteUrl(text)
  if (url.scheme === 'file' && allow.file !== true) {
    throw new GitError('refused', 'file:// URLs are not allowed')
  }
  if (url.scheme === 'http' && !(allow.loopbackHttp === true && isLoopback(url.host))) {
    throw new GitError('refused', 'http:// URLs are not allowed; use https://')
  }
  if (url.scheme === 'ssh') {
    if (credentials.kind !== 'ssh')
      throw new GitError('refused', 'an SSH URL requires an SSH key in the credentials')
    if (knownHosts === undefined) {
      throw new GitError(
        'host-key',
        `no host keys are given, so the identity of ${url.host} cannot be verified`,
      )
    }
    checkKnownHosts(knownHosts)
  } else if (credentials.kind === 'ssh') {
    throw new GitError(
      'refused',
      `the credentials are an SSH key, which ${url.scheme}:// URLs cannot use`,
    )
  }
  if (url.scheme === 'https' && caCertificates !== undefined) certificatesIn(caCertificates)
  if (/[\r\n\0]/.test(authorizationOf(credentials) ?? '')) {
    throw new GitError('refused', 'the credentials contain a line break')
  }
  return url
}

async function httpConfig(
  { credentials, caCertificates }: Connection,
  url: RemoteUrl,
  directory: string,
): Promise<GitConfig> {
  const authorization = authorizationOf(credentials)
  const login = authorization === undefined ? [] : authorizationConfig(url.href, authorization)
  if (caCertificates === undefined) return login
  const file = join(directory, 'ca.pem')
  const others = join(directory, 'no-other-authorities')
  await writeFile(file, certificatesIn(caCertificates).join(''))
  await mkdir(others, { recursive: true })
  // Without a folder of our own libcurl would trust the system's too.
  return [...login, ['http.sslCAInfo', file], ['http.sslCAPath', others]]
}

async function openSsh(
  { credentials, knownHosts = '' }: Connection,
  directory: string,
  path: string,
  signal: AbortSignal | undefined,
): Promise<Pick<OpenConnection, 'env' | 'close'>> {
  if (credentials.kind !== 'ssh')
    throw new GitError('refused', 'an SSH URL requires an SSH key in the credentials')
  const file = join(directory, 'known_hosts')
  await writeFile(file, `${knownHosts.trim()}\n`)
  const { privateKey, passphrase } = credentials
  const agent = await SshAgent.start({ privateKey, passphrase, path, signal })
  return {
    env: {
      SSH_AUTH_SOCK: agent.socket,
      ...sshEnvironment({ knownHostsFile: file, unknownHostKeys: 'refuse' }),
    },
    close: () => agent.close(),
  }
}
