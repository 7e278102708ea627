import type { SignalDelivery } from '@agents/jangar-api'
import { formatKey } from '@agents/kube'
import { isFinished } from '@agents/status'
import { isTrue } from '../../kubernetes/condition-of.ts'
import type { RunClaims } from '../../kubernetes/run-claims.ts'
import { identityOf } from './delivery-identity.ts'

/** Another delivery of the same event that counts instead, or may. */
interface EarlierDelivery {
  readonly name: string
  /** Whether it was accepted. Else it has not been checked yet. */
  readonly isAccepted: boolean
}

/**
 * Finds the delivery that comes before this one among those of the same event: the accepted one, else the oldest that
 * has not been checked. If there is none, the event is claimed for this one, because the cache shows its acceptance
 * later. A rejected delivery does not count, so that its sender can repeat it.
 */
export function earlierDelivery(
  delivery: SignalDelivery,
  deliveriesOf: (identity: string) => readonly SignalDelivery[],
  claims: Pick<RunClaims, 'claim' | 'ownerOf'>,
): EarlierDelivery | undefined {
  const identity = identityOf(delivery)
  if (identity === undefined) return undefined
  const others = deliveriesOf(identity).filter(({ metadata }) => !isSame(metadata, delivery))
  const accepted = others.find((other) => isTrue(other, 'Accepted'))
  if (accepted) return { name: accepted.metadata.name, isAccepted: true }
  const owner = claims.ownerOf(identity)
  const first = others.find(
    (other) =>
      !isFinished(other.status?.conditions) &&
      (owner === undefined ? isOlder(other, delivery) : formatKey(other.metadata) === owner),
  )
  if (first) return { name: first.metadata.name, isAccepted: false }
  claims.claim(delivery, identity)
  return undefined
}

function isSame({ uid }: SignalDelivery['metadata'], { metadata }: SignalDelivery): boolean {
  return uid === metadata.uid
}

/** By creation time, which has a resolution of a second, then by name. */
function isOlder({ metadata: one }: SignalDelivery, { metadata: other }: SignalDelivery): boolean {
  const [a = '', b = ''] = [one.creationTimestamp, other.creationTimestamp]
  return a === b ? one.name < other.name : a < b
}
