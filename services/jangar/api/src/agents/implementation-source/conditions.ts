import { livingConditions } from '@agents/status'
import { credentialsResolved, validated } from '../../gate.ts'

export const implementationSourceConditions = livingConditions({
  gates: [
    validated({
      WebhookDisabled: 'Webhooks are disabled; set webhook.enabled to import issues.',
      UnsupportedScope: 'The scope uses a field that the provider does not support.',
    }),
    credentialsResolved,
    {
      type: 'Served',
      doc: {
        True: 'The platform receives the deliveries of the source.',
        False: 'No component of this release receives deliveries, so nothing is imported.',
      },
      reasons: {
        Served: 'The platform receives deliveries.',
        NotServed: 'No component of this release receives deliveries.',
      },
    },
    {
      type: 'Synced',
      doc: {
        True: 'All deliveries so far were imported or ignored.',
        False: 'The last delivery was not imported.',
      },
      reasons: {
        WebhookSynced: 'The last delivery was imported.',
        NothingReceived: 'No delivery was received yet.',
        WebhookRetrying: 'Importing the last delivery failed and is retried.',
        WebhookFailed: 'Importing the last delivery failed permanently.',
        InvalidPayload: 'The payload of the last delivery is invalid.',
      },
    },
  ],
})
