import { type GateOf, pass, stall } from '@agents/controller'
import type { OrchestrationRun, Signal, SignalDelivery, signalConditions } from '@agents/jangar-api'
import { deliveryHistory } from '../delivery-history.ts'
import type { PayloadChecks } from '../payload-checks.ts'
import { waitingSteps } from '../waiting-steps.ts'

type Detail = ReturnType<typeof deliveryHistory> & ReturnType<typeof waitingSteps>
type Validated = GateOf<typeof signalConditions, 'Validated', Signal, Detail>

interface ValidatedPorts {
  readonly checks: PayloadChecks
  acceptedBy(signal: Signal): readonly SignalDelivery[]
  /** The runs with a step that waits for the Signal. */
  waitingFor(signal: Signal): readonly OrchestrationRun[]
}

/** Checks the schema and the default payload. The status says in any case what was delivered and who waits. */
export function validated({ checks, acceptedBy, waitingFor }: ValidatedPorts): Validated {
  return {
    condition: 'Validated',
    check: (signal) => {
      const detail = {
        ...deliveryHistory(signal, acceptedBy(signal)),
        ...waitingSteps(signal, waitingFor(signal)),
      }
      const check = checks.of(signal)
      if (!check.ok) return stall('InvalidSchema', check.message, { detail })
      const { payload } = signal.spec ?? {}
      const problem = payload === undefined ? undefined : check.problemOf(payload)
      if (problem !== undefined) return stall('InvalidPayload', problem, { detail })
      return pass('Valid', 'the signal can be delivered', { detail })
    },
  }
}
