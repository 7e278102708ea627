import { failed, type GateOf, pass } from '@agents/controller'
import type { SignalDelivery, signalDeliveryConditions } from '@agents/jangar-api'
import { formatKey } from '@agents/kube'
import { rfc3339NotBefore } from '@agents/status'
import type { SupportingCaches } from '../../../caches/supporting-caches.ts'
import type { RunClaims } from '../../../kubernetes/run-claims.ts'
import { waitFor } from '../../../kubernetes/wait-for.ts'
import type { PayloadChecks } from '../../signal/payload-checks.ts'
import { identityIndex } from '../delivery-identity.ts'
import { earlierDelivery } from '../earlier-delivery.ts'

interface AcceptedPorts {
  readonly caches: Pick<SupportingCaches, 'signals' | 'signalDeliveries'>
  readonly checks: PayloadChecks
  readonly claims: RunClaims
}

type Status = NonNullable<SignalDelivery['status']>
type Detail = Pick<Status, 'deliveredAt' | 'payload'>
type Accepted = GateOf<typeof signalDeliveryConditions, 'Accepted', SignalDelivery, Detail>

const longestDeliveryId = 256

/** Checks a delivery against its Signal and against earlier deliveries of the same event. */
export function accepted({ caches, checks, claims }: AcceptedPorts): Accepted {
  return {
    condition: 'Accepted',
    check: (delivery, _detail, { now }) => {
      const { metadata, spec } = delivery
      // The definition of the reference has an optional spec.
      if (spec === undefined) return failed('Rejected', 'spec is missing')
      if ((spec.deliveryId?.length ?? 0) > longestDeliveryId) {
        return failed('Rejected', `spec.deliveryId has more than ${longestDeliveryId} characters`)
      }
      const { namespace } = metadata
      const { name } = spec.signalRef
      const signal = caches.signals.get(formatKey({ namespace, name }))
      if (signal === undefined || signal.metadata.deletionTimestamp !== undefined) {
        return waitFor('SignalMissing', `Signal ${name} does not exist; create it`)
      }
      const check = checks.of(signal)
      if (!check.ok) {
        return waitFor('SignalNotReady', `Signal ${name} has an invalid schema: ${check.message}`)
      }
      const payload = spec.payload ?? signal.spec?.payload
      const problem = check.problemOf(payload)
      if (problem !== undefined) return failed('Rejected', problem)
      const earlier = earlierDelivery(
        delivery,
        (identity) => caches.signalDeliveries.byIndex(identityIndex, identity),
        claims,
      )
      if (earlier) return duplicate(earlier, spec.deliveryId)
      const [first = ''] = [signal.metadata, metadata]
        .map(({ creationTimestamp = '' }) => creationTimestamp)
        .toSorted()
        .toReversed()
      const detail: Detail = {
        deliveredAt: rfc3339NotBefore(now, first),
        ...(spec.payload === undefined && payload !== undefined && { payload }),
      }
      return pass('Accepted', `delivered to Signal ${name}`, { detail })
    },
  }
}

function duplicate(
  { name, isAccepted }: NonNullable<ReturnType<typeof earlierDelivery>>,
  deliveryId: string | undefined,
) {
  const has = `SignalDelivery ${name} has the identifier ${deliveryId}`
  return isAccepted
    ? failed('Duplicate', `${has} too, and was accepted before`)
    : waitFor('EarlierDelivery', `${has} too, and is checked before`)
}
