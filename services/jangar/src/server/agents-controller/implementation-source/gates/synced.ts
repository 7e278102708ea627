import { type GateOf, pass, stall } from '@agents/controller'
import type { ImplementationSource, implementationSourceConditions } from '@agents/jangar-api'
import { waitFor } from '../../../kubernetes/wait-for.ts'
import { wantsLists } from '../sync/is-listed.ts'

/** Reports the last delivery and the last list, which the importers write. */
export const synced: GateOf<typeof implementationSourceConditions, 'Synced', ImplementationSource> =
  {
    condition: 'Synced',
    check: ({ spec, status }) => {
      const { lastWebhook: last, lastSync } = status ?? {}
      const issue = last?.externalId ?? 'an issue'
      const error = last?.error === undefined ? '' : `: ${last.error}`
      if (last?.status === 'retrying') {
        return waitFor(
          'WebhookRetrying',
          `the last delivery (${issue}) failed and will be retried${error}`,
        )
      }
      if (last?.status === 'failed') {
        return stall('WebhookFailed', `the last delivery (${issue}) failed permanently${error}`)
      }
      if (wantsLists(spec)) {
        if (lastSync === undefined) return waitFor('NotListed', 'the issues were not listed yet')
        if (lastSync.error !== undefined) {
          return waitFor('ListFailed', `the issues could not be listed: ${lastSync.error}`)
        }
        const { issues = 0 } = lastSync
        return pass('Listed', `the issues were listed; ${issues} are open and in the scope`)
      }
      if (last === undefined) return pass('NothingReceived', 'no delivery was received yet')
      return pass('WebhookSynced', `the last delivery (${issue}) was imported`)
    },
  }
