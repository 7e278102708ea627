import { GitError } from '../git-error.ts'

type RemoteScheme = 'https' | 'http' | 'ssh' | 'file'

export interface RemoteUrl {
  readonly scheme: RemoteScheme
  /** Lower case, no brackets, no final dot; empty for files. */
  readonly host: string
  readonly port: number | undefined
  readonly user: string
  /** Decoded, with its leading slash. */
  readonly path: string
  /** What `git` is given. */
  readonly href: string
}

const defaultPorts: Record<RemoteScheme, number | undefined> = {
  https: 443,
  http: 80,
  ssh: 22,
  file: undefined,
}

/**
 * Reads `https://…`, `ssh://…`, `user@host:path` and `file:///…`. A password in the URL is refused: it would be shown.
 */
export function parseRemoteUrl(text: string): RemoteUrl {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\u0000-\u0020\u007f]/.test(text))
    throw refused('it contains white space or control characters')
  const short = /^(?:([\w.-]+)@)?(\[[0-9a-fA-F:]+\]|[\w.-]+):(?!:|\/\/)(.+)$/.exec(text)
  if (short !== null) {
    const [, user = '', host = '', path = ''] = short
    const long = `ssh://${user === '' ? '' : `${user}@`}${host}/${path.replace(/^\//, '')}`
    // Without a leading slash the path begins at the user's home on the server, which only the short form can express.
    return { ...parseRemoteUrl(long), href: text }
  }
  const url = parse(text)
  const scheme = url.protocol.slice(0, -1)
  if (!isScheme(scheme)) throw refused(`the scheme ${scheme} is not one of https, ssh and file`)
  if (url.password !== '') throw refused('it contains a password')
  if (scheme !== 'ssh' && url.username !== '') throw refused('it contains a user name')
  if (url.search !== '' || url.hash !== '') throw refused('it contains a query or a fragment')
  const path = decode(url.pathname)
  if (path.replaceAll('/', '') === '') throw refused('it has no path to a repository')
  const host = url.hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
  if (scheme === 'file' ? host !== '' : host === '')
    throw refused('its host is missing or not allowed')
  // A host or user such as `-oProxyCommand=…` would be read by ssh as an option.
  if (host.startsWith('-') || url.username.startsWith('-'))
    throw refused('its host or user starts with a dash')
  const port =
    url.port === '' || Number(url.port) === defaultPorts[scheme] ? undefined : Number(url.port)
  return { scheme, host, port, user: decode(url.username), path, href: url.href }
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}

// The errors of these two quote the URL, which may hold a password, so they are no cause to hand on.
function parse(text: string): URL {
  const url = URL.parse(text)
  if (url === null) throw refused('it is not a valid URL')
  return url
}

function decode(text: string): string {
  if (!/^(?:[^%]|%[0-9a-fA-F]{2})*$/.test(text)) throw refused('its percent-encoding is not valid')
  return Buffer.from(unescapeBytes(text), 'latin1').toString('utf8')
}

function unescapeBytes(text: string): string {
  return Buffer.from(text, 'utf8')
    .toString('latin1')
    .replace(/%([0-9a-fA-F]{2})/g, (_all, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
}

function isScheme(scheme: string): scheme is RemoteScheme {
  return Object.hasOwn(defaultPorts, scheme)
}

function refused(why: string): GitError {
  return new GitError('refused', `the repository URL is not accepted: ${why}`)
}
