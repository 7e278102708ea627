import { type GateOf, pass, stall } from '@agents/controller'
import type { Signal, SignalDelivery, signalConditions } from '@agents/jangar-api'
import { deliveryHistory } from '../delivery-history.ts'
import type { PayloadChecks } from '../payload-checks.ts'

type Detail = ReturnType<typeof deliveryHistory>
type Validated = GateOf<typeof signalConditions, 'Validated', Signal, Detail>

/** Checks the schema and the default payload. The status has the latest deliveries in any case. */
export function validated(
  checks: PayloadChecks,
  acceptedBy: (signal: Signal) => readonly SignalDelivery[],
): Validated {
  return {
    condition: 'Validated',
    check: (signal) => {
      const detail = deliveryHistory(signal, acceptedBy(signal))
      const check = checks.of(signal)
      if (!check.ok) return stall('InvalidSchema', check.message, { detail })
      const { payload } = signal.spec ?? {}
      const problem = payload === undefined ? undefined : check.problemOf(payload)
      if (problem !== undefined) return stall('InvalidPayload', problem, { detail })
      return pass('Valid', 'the signal can be delivered', { detail })
    },
  }
}
