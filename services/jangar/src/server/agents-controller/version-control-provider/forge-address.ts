import { type ForgeService, forgeServices } from '@agents/forge'
import type { VersionControlProvider } from '@agents/jangar-api'
import { isLoopback } from '../../primitives-policy/loopback.ts'

type Spec = Pick<
  VersionControlProvider['spec'],
  'provider' | 'apiBaseUrl' | 'cloneBaseUrl' | 'webBaseUrl'
>

export interface ForgeAddress {
  readonly service: ForgeService
  readonly baseUrl: string
}

/** Where the API of the service is. Undefined if that is unknown, or if a token would be sent unencrypted. */
export function forgeAddress(spec: Spec): ForgeAddress | undefined {
  const service = forgeServices.find((one) => one === spec.provider)
  if (service === undefined) return undefined
  const baseUrl = spec.apiBaseUrl ?? derivedUrl(service, spec)
  const url = URL.parse(baseUrl ?? '')
  if (baseUrl === undefined || url === null) return undefined
  const isPrivate =
    url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))
  return isPrivate ? { service, baseUrl } : undefined
}

const places: Readonly<Record<ForgeService, { readonly path?: string; readonly known?: string }>> =
  {
    github: { path: '/api/v3', known: 'https://api.github.com' },
    gitlab: { path: '/api/v4', known: 'https://gitlab.com/api/v4' },
    gitea: { path: '/api/v1' },
    // The API of Bitbucket Data Center is another one.
    bitbucket: { known: 'https://api.bitbucket.org/2.0' },
  }

const publicHosts = ['github.com', 'gitlab.com', 'bitbucket.org']

/** The token of an own server must not be sent to the public service of the same kind. */
function derivedUrl(service: ForgeService, { webBaseUrl, cloneBaseUrl }: Spec): string | undefined {
  const { path, known } = places[service]
  const own = webBaseUrl ?? cloneBaseUrl
  if (own === undefined) return known
  const url = URL.parse(own)
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined
  if (publicHosts.includes(url.hostname)) return known
  return path === undefined ? undefined : `${own.replace(/\/+$/, '')}${path}`
}
