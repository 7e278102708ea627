import type { VersionControlProvider } from '@agents/jangar-api'
import { cloneBase } from '../../../run-contract/repository/clone-url.ts'
import { isLoopback } from '../../primitives-policy/loopback.ts'
import type { SignIn } from './sign-in.ts'

type Spec = Pick<
  VersionControlProvider['spec'],
  'provider' | 'apiBaseUrl' | 'cloneBaseUrl' | 'webBaseUrl' | 'cloneProtocol' | 'sshHost'
>

/** Allowed schemes by field. */
const schemes = {
  apiBaseUrl: ['https:', 'http:'],
  cloneBaseUrl: ['https:', 'http:', 'ssh:', 'file:'],
  webBaseUrl: ['https:', 'http:'],
} as const

/**
 * Why an address cannot be used. Credentials are never sent unencrypted: plain HTTP is allowed only for providers
 * without authentication and for loopback addresses, which never leave the host.
 */
export function addressProblem(spec: Spec, { method }: Pick<SignIn, 'method'>): string | undefined {
  const clonedFrom = clonesFrom(spec, method)
  for (const field of ['apiBaseUrl', 'cloneBaseUrl', 'webBaseUrl'] as const) {
    const text = spec[field]
    if (text === undefined) continue
    const url = URL.parse(text)
    const at = `spec.${field}`
    if (!url) return `${at} is not a valid URL`
    if (!schemes[field].some((scheme) => scheme === url.protocol)) {
      return `${at} has the scheme ${url.protocol.slice(0, -1)}; use https`
    }
    if (url.password !== '' || (url.username !== '' && url.protocol !== 'ssh:')) {
      return `${at} contains a credential; refer to a Secret in spec.auth instead`
    }
    const unclonable = field === 'cloneBaseUrl' ? cloneProblem(url, spec) : undefined
    if (unclonable !== undefined) return `${at} ${unclonable}`
    const carries = method !== 'none' && (field !== 'webBaseUrl' || clonedFrom === field)
    if (url.protocol === 'http:' && carries && !isLoopback(url.hostname)) {
      return `${at} would send the credential unencrypted; use https`
    }
  }
  return undefined
}

/** Why nothing could be cloned from the URL. */
function cloneProblem(url: URL, { sshHost }: Spec): string | undefined {
  if (url.search !== '' || url.hash !== '') return 'contains a query or a fragment'
  const isUnused = url.protocol === 'ssh:' && sshHost === undefined
  return isUnused ? 'is not used for SSH; set spec.sshHost and spec.sshUser instead' : undefined
}

/**
 * The field whose URL repositories are cloned from over HTTP; without `cloneBaseUrl`, some services use `webBaseUrl`.
 */
function clonesFrom(spec: Spec, method: SignIn['method']) {
  const protocol = spec.cloneProtocol ?? (method === 'ssh' ? 'ssh' : 'https')
  return protocol === 'ssh' ? undefined : cloneBase(spec).field
}
