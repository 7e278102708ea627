import { RunFailure } from '../run-failure.ts'
import type { VcsContext } from '../vcs-context.ts'
import { repositoryName } from './repository-name.ts'

const publicServices: Readonly<Record<VcsContext['provider'], string | undefined>> = {
  github: 'https://github.com',
  gitlab: 'https://gitlab.com',
  bitbucket: 'https://bitbucket.org',
  gitea: undefined,
  generic: undefined,
}

const pathSegment = /^(?!-)[\w.~-]+$/
const schemes = ['https:', 'http:', 'file:']

type Addresses = Pick<VcsContext, 'provider' | 'cloneBaseUrl' | 'webBaseUrl'>

/** The URL that repositories are cloned from, and the field that it comes from; neither if it is unknown. */
export function cloneBase({ provider, cloneBaseUrl, webBaseUrl }: Addresses): {
  readonly url?: string
  readonly field?: 'cloneBaseUrl' | 'webBaseUrl'
} {
  if (cloneBaseUrl !== undefined) return { url: cloneBaseUrl, field: 'cloneBaseUrl' }
  const known = publicServices[provider]
  if (known !== undefined) return { url: known }
  return webBaseUrl === undefined ? {} : { url: webBaseUrl, field: 'webBaseUrl' }
}

/** Where to fetch from and push to, without credentials. */
export function remoteUrl(vcs: VcsContext): string {
  const segments = repositoryName(vcs.repository).split('/')
  const isPlain = segments.every((part) => pathSegment.test(part) && part !== '.' && part !== '..')
  if (!isPlain) throw invalid(`vcs.repository ${JSON.stringify(vcs.repository)} is not owner/name`)
  const path = `${segments.join('/')}.git`
  const { url: base } = cloneBase(vcs)
  if (vcs.cloneProtocol === 'ssh') return sshUrl(vcs, base, path)
  if (base === undefined)
    throw invalid(`vcs.cloneBaseUrl is missing, and ${vcs.provider} has no default`)
  const url = parsedBase(base)
  return `${url.href.replace(/\/+$/, '')}/${path}`
}

function parsedBase(base: string): URL {
  // Not shown: it may hold what it must not hold.
  if (!URL.canParse(base)) throw invalid('vcs.cloneBaseUrl is not a URL')
  const url = new URL(base)
  if (!schemes.includes(url.protocol))
    throw invalid(`the scheme ${url.protocol} of vcs.cloneBaseUrl is not supported`)
  if (url.username !== '' || url.password !== '')
    throw invalid('vcs.cloneBaseUrl contains credentials')
  if (url.search !== '' || url.hash !== '')
    throw invalid('vcs.cloneBaseUrl contains a query or a fragment')
  return url
}

function sshUrl(vcs: VcsContext, base: string | undefined, path: string): string {
  const host = vcs.sshHost ?? (base === undefined ? undefined : parsedBase(base).host)
  const user = vcs.sshUser ?? 'git'
  if (host === undefined) throw invalid('vcs.sshHost is missing')
  if (!/^(?!-)[\w.:[\]-]+$/.test(host)) throw invalid('vcs.sshHost is not a valid host name')
  if (!/^(?!-)[\w.-]+$/.test(user)) throw invalid('vcs.sshUser is not a valid user name')
  return `ssh://${user}@${host}/${path}`
}

function invalid(message: string): RunFailure {
  return new RunFailure('InvalidSpec', `run.json: ${message}`)
}
