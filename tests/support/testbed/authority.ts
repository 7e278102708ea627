import { isFull } from '../tier.ts'
import { startEmbeddedServer } from './embedded-server.ts'
import { realClusterAvailable, startRealCluster } from './real-cluster.ts'

const availability = await realClusterAvailable()

/** The API servers to test on: the embedded one always, a real kube-apiserver where it can be run. */
export const authorities = availability.available
  ? (['embedded', 'real'] as const)
  : (['embedded'] as const)

export type Authority = (typeof authorities)[number]

/** A real kube-apiserver where it can be run, otherwise the embedded one. */
export const bestAuthority: Authority = availability.available ? 'real' : 'embedded'

/** For what both answer alike: the gate takes the one that starts in a moment. */
export const likeAuthorities: readonly Authority[] = isFull ? authorities : ['embedded']

/** For what needs only one of them: the gate takes the one that starts in a moment. */
export const anyAuthority: Authority = isFull ? bestAuthority : 'embedded'

export type AuthorityServer = Awaited<ReturnType<typeof startAuthority>>

export function startAuthority(authority: Authority) {
  return authority === 'real' ? startRealCluster({ fsync: false }) : startEmbeddedServer()
}
