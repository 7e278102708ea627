import type { VersionControlProvider } from '@agents/jangar-api'
import { cloneBase } from '../../../run-contract/repository/clone-url.ts'
import { forgeAddress } from './forge-address.ts'

type Spec = VersionControlProvider['spec']

/**
 * Whether both providers are about the same service, so that `owner/name` is the same repository. Ports are not
 * compared: that of SSH is another one than that of the API.
 */
export function isSameForge(one: Spec, other: Spec): boolean {
  return !hostsOf(one).isDisjointFrom(hostsOf(other))
}

function hostsOf(spec: Spec): Set<string> {
  const { sshHost, webBaseUrl } = spec
  const urls = [
    forgeAddress(spec)?.baseUrl,
    cloneBase(spec).url,
    webBaseUrl,
    sshHost && `ssh://${sshHost}`,
  ]
  const hosts = urls.map((url) => URL.parse(url ?? '')?.hostname.toLowerCase() ?? '')
  return new Set(hosts.filter((host) => host !== ''))
}
