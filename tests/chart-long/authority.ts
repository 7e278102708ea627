import { startEmbeddedServer } from '../testbed/embedded-server.ts'
import { realClusterAvailable, startRealCluster } from '../testbed/real-cluster.ts'

const availability = await realClusterAvailable()

/** Who answers: our own server everywhere, Kubernetes' own where it can be run. */
export const authorities = availability.available
  ? (['embedded', 'real'] as const)
  : (['embedded'] as const)

export type Authority = (typeof authorities)[number]

/** Kubernetes' own where it can be run. */
export const bestAuthority: Authority = availability.available ? 'real' : 'embedded'

export type AuthorityServer = Awaited<ReturnType<typeof startAuthority>>

export function startAuthority(authority: Authority) {
  return authority === 'real' ? startRealCluster({ fsync: false }) : startEmbeddedServer()
}
