import { type GateOf, pass, stall } from '@agents/controller'
import type { ImplementationSource, implementationSourceConditions } from '@agents/jangar-api'
import { waitFor } from '../wait-for.ts'

/** Reads what whoever takes deliveries over has written into the status. */
export const synced: GateOf<typeof implementationSourceConditions, 'Synced', ImplementationSource> =
  {
    condition: 'Synced',
    check: ({ status }) => {
      const last = status?.lastWebhook
      if (!last) return pass('NothingReceived', 'no delivery has arrived yet')
      const issue = last.externalId ?? 'an issue'
      const error = last.error === undefined ? '' : `: ${last.error}`
      if (last.status === 'retrying') {
        return waitFor(
          'WebhookRetrying',
          `the last delivery, about ${issue}, is tried again${error}`,
        )
      }
      if (last.status === 'failed') {
        return stall('WebhookFailed', `the last delivery, about ${issue}, was given up${error}`)
      }
      return pass('WebhookSynced', `the last delivery, about ${issue}, was taken over`)
    },
  }
