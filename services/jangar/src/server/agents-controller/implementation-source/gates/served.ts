import { type GateOf, pass, stall } from '@agents/controller'
import type { ImplementationSource, implementationSourceConditions } from '@agents/jangar-api'

type Served = GateOf<typeof implementationSourceConditions, 'Served', ImplementationSource>

/** Whether deliveries reach the platform. A source that receives nothing is not ready, however valid it is. */
export function served(receivesWebhooks: boolean): Served {
  return {
    condition: 'Served',
    check: () =>
      receivesWebhooks
        ? pass('Served', 'the platform receives deliveries')
        : stall(
            'NotServed',
            'no component of this release receives webhooks, so nothing is imported',
          ),
  }
}
