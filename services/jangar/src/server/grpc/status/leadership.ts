import type { Clock } from '@agents/controller'
import { isForbidden, isNotFound, type KubeClient, LeaseKind, type ObjectKey } from '@agents/kube'

/** The state of the controllers' Lease. */
export type Leadership =
  | { readonly kind: 'held'; readonly holder: string }
  | { readonly kind: 'overdue'; readonly holder: string; readonly since: string }
  | { readonly kind: 'free' }
  | { readonly kind: 'hidden'; readonly because: string }

/**
 * Reads the current leader. The time of renewal is from the holder's clock and is compared with the local clock: if the
 * holder's clock is behind by more than the Lease's duration, it is reported as overdue.
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
    // An invalid time does not count as fresh.
    const isFresh = clock.now().getTime() - renewed <= leaseDurationSeconds * 1_000
    if (isFresh) return { kind: 'held', holder: holderIdentity }
    return { kind: 'overdue', holder: holderIdentity, since: renewTime ?? 'an unknown time' }
  } catch (error) {
    if (isNotFound(error)) return { kind: 'free' }
    const named = `Lease ${lease.namespace}/${lease.name}`
    if (isForbidden(error)) {
      return { kind: 'hidden', because: `the control plane is not allowed to get ${named}` }
    }
    return { kind: 'hidden', because: `${named} cannot be read` }
  }
}
