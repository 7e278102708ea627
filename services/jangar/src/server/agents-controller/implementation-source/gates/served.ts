import { type GateOf, pass, stall } from '@agents/controller'
import type { ImplementationSource, implementationSourceConditions } from '@agents/jangar-api'
import { wantsLists } from '../sync/is-listed.ts'

type Served = GateOf<typeof implementationSourceConditions, 'Served', ImplementationSource>

/** Whether issues reach the platform. A source that receives nothing is not ready, however valid it is. */
export function served(receivesWebhooks: boolean): Served {
  return {
    condition: 'Served',
    check: ({ spec }) => {
      const isWanted = spec.webhook?.enabled === true
      if (isWanted && receivesWebhooks) return pass('Served', 'the platform receives deliveries')
      if (wantsLists(spec)) {
        const why = isWanted ? 'webhooks are not enabled on the platform' : 'webhooks are disabled'
        return pass('Polled', `the issues are listed; ${why}`)
      }
      return stall(
        'NotServed',
        'the platform does not receive webhooks; enable them (JANGAR_WEBHOOKS_ENABLED), or let the issues be listed',
      )
    },
  }
}
