import type { Clock } from '@agents/controller'
import { isForbidden, isNotFound, type KubeClient, LeaseKind, type ObjectKey } from '@agents/kube'

/** What the Lease of the controllers tells. */
export type Leadership =
  | { readonly kind: 'held'; readonly holder: string }
  | { readonly kind: 'overdue'; readonly holder: string; readonly since: string }
  | { readonly kind: 'free' }
  | { readonly kind: 'hidden'; readonly because: string }

/**
 * Who leads. A Lease says by the holder's clock when it was renewed; it is held against this process's clock, so a holder whose
 * clock is late by more than the Lease's duration is taken for one that is overdue.
 */
export async function readLeadership(
  client: Pick<KubeClient, 'get'>,
  lease: ObjectKey,
  clock: Clock,
  signal: AbortSignal,
): Promise<Leadership> {
  try {
    const { spec = {} } = await client.get(LeaseKind, lease, { signal, retries: 0 })
    const { holderIdentity = '', renewTime, leaseDurationSeconds = 0 } = spec
    if (holderIdentity === '') return { kind: 'free' }
    const renewed = renewTime === undefined ? Number.NaN : Date.parse(renewTime)
    // An unreadable time is no proof that anybody is alive.
    const isFresh = clock.now().getTime() - renewed <= leaseDurationSeconds * 1_000
    if (isFresh) return { kind: 'held', holder: holderIdentity }
    return { kind: 'overdue', holder: holderIdentity, since: renewTime ?? 'an unknown time' }
  } catch (error) {
    if (isNotFound(error)) return { kind: 'free' }
    const named = `Lease ${lease.namespace}/${lease.name}`
    if (isForbidden(error)) {
      return { kind: 'hidden', because: `the control plane may not read ${named}` }
    }
    return { kind: 'hidden', because: `${named} could not be read` }
  }
}
