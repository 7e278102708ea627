import { type GateOf, pass, stall } from '@agents/controller'
import type { ImplementationSource, implementationSourceConditions } from '@agents/jangar-api'
import { waitFor } from '../../../kubernetes/wait-for.ts'

/** Reports the status of the last delivery, which the importer of deliveries writes. */
export const synced: GateOf<typeof implementationSourceConditions, 'Synced', ImplementationSource> =
  {
    condition: 'Synced',
    check: ({ status }) => {
      const last = status?.lastWebhook
      if (!last) return pass('NothingReceived', 'no delivery was received yet')
      const issue = last.externalId ?? 'an issue'
      const error = last.error === undefined ? '' : `: ${last.error}`
      if (last.status === 'retrying') {
        return waitFor(
          'WebhookRetrying',
          `the last delivery (${issue}) failed and will be retried${error}`,
        )
      }
      if (last.status === 'failed') {
        return stall('WebhookFailed', `the last delivery (${issue}) failed permanently${error}`)
      }
      return pass('WebhookSynced', `the last delivery (${issue}) was imported`)
    },
  }
