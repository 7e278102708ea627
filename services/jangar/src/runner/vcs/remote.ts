import type { VcsContext } from '../contract/vcs-context.ts'
import { RunFailure } from '../run-failure.ts'

const PUBLIC_SERVICE: Readonly<Record<VcsContext['provider'], string | undefined>> = {
  github: 'https://github.com',
  gitlab: 'https://gitlab.com',
  bitbucket: 'https://bitbucket.org',
  gitea: undefined,
  generic: undefined,
}

const SEGMENT = /^(?!-)[\w.~-]+$/
const SCHEMES = ['https:', 'http:', 'file:']

/** Where to fetch from and push to, without credentials. */
export function remoteUrl(vcs: VcsContext): string {
  const segments = vcs.repository.replace(/\.git$/, '').split('/')
  const isPlain = segments.every((part) => SEGMENT.test(part) && part !== '.' && part !== '..')
  if (!isPlain) throw invalid(`vcs.repository ${JSON.stringify(vcs.repository)} is not owner/name`)
  const path = `${segments.join('/')}.git`
  const base = vcs.cloneBaseUrl ?? PUBLIC_SERVICE[vcs.provider] ?? vcs.webBaseUrl
  if (vcs.cloneProtocol === 'ssh') return sshUrl(vcs, base, path)
  if (base === undefined) throw invalid(`vcs.cloneBaseUrl is missing, and ${vcs.provider} has none`)
  const url = parsedBase(base)
  return `${url.href.replace(/\/+$/, '')}/${path}`
}

function parsedBase(base: string): URL {
  // Not shown: it may hold what it must not hold.
  if (!URL.canParse(base)) throw invalid('vcs.cloneBaseUrl is not a URL')
  const url = new URL(base)
  if (!SCHEMES.includes(url.protocol)) throw invalid(`vcs.cloneBaseUrl cannot be ${url.protocol}`)
  if (url.username !== '' || url.password !== '')
    throw invalid('vcs.cloneBaseUrl holds credentials')
  if (url.search !== '' || url.hash !== '') throw invalid('vcs.cloneBaseUrl holds more than a path')
  return url
}

function sshUrl(vcs: VcsContext, base: string | undefined, path: string): string {
  const host = vcs.sshHost ?? (base === undefined ? undefined : parsedBase(base).host)
  const user = vcs.sshUser ?? 'git'
  if (host === undefined) throw invalid('vcs.sshHost is missing')
  if (!/^(?!-)[\w.:[\]-]+$/.test(host)) throw invalid('vcs.sshHost is not a host')
  if (!/^(?!-)[\w.-]+$/.test(user)) throw invalid('vcs.sshUser is not a user')
  return `ssh://${user}@${host}/${path}`
}

function invalid(message: string): RunFailure {
  return new RunFailure('InvalidSpec', `run.json: ${message}`)
}
