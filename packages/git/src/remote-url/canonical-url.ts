import { parseRemoteUrl, type RemoteUrl } from './remote-url.ts'

/**
 * One name for a repository, however its URL is spelled: `https://Git.Test/a/b.git/`, `git@git.test:a/b` and
 * `ssh://git@git.test:22/a/b` are `git.test/a/b`. A port of its own is kept: two servers may share a host.
 */
export function canonicalUrl(text: string): string {
  const url = parseRemoteUrl(text)
  const path = tidyPath(url.path)
  if (url.scheme === 'file') return `file:/${path}`
  const { host, port } = knownAlias(url)
  const place = port === undefined ? host : `${host}:${port}`
  return `${place}/${ignoresCase(host) ? path.toLowerCase() : azureRepository(host, path)}`
}

function tidyPath(path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.' && part !== '~')
  return parts.join('/').replace(/\.git$/, '')
}

/** Forges offer SSH on the port of HTTPS under another name, for networks that let nothing else out. */
const aliases: Record<string, string> = {
  'ssh.github.com': 'github.com',
  'altssh.gitlab.com': 'gitlab.com',
  'altssh.bitbucket.org': 'bitbucket.org',
  'ssh.dev.azure.com': 'dev.azure.com',
  'www.github.com': 'github.com',
}

function knownAlias({ host, port }: RemoteUrl): Pick<RemoteUrl, 'host' | 'port'> {
  const alias = aliases[host]
  return alias === undefined ? { host, port } : { host: alias, port: undefined }
}

function ignoresCase(host: string): boolean {
  return ['github.com', 'gitlab.com', 'bitbucket.org', 'codeberg.org'].includes(host)
}

/** `v3/org/project/repo` over SSH is `org/project/_git/repo` over HTTPS. */
function azureRepository(host: string, path: string): string {
  if (host !== 'dev.azure.com') return path
  const [, organisation, project, repository] =
    /^v3\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(path) ??
    /^([^/]+)\/([^/]+)\/_git\/([^/]+)$/.exec(path) ??
    []
  if (organisation === undefined) return path.toLowerCase()
  return `${organisation}/${project}/_git/${repository}`.toLowerCase()
}
