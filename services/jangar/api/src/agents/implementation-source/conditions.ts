import { livingConditions } from '@agents/status'
import { credentialsResolved, validated } from '../../gate.ts'

export const implementationSourceConditions = livingConditions({
  gates: [
    validated({
      WebhookDisabled: 'Deliveries are not received; set webhook.enabled to take issues over.',
      UnsupportedScope: 'The scope uses something that this system does not have.',
    }),
    credentialsResolved,
    {
      type: 'Synced',
      doc: {
        True: 'All deliveries so far were taken over, or ignored on purpose.',
        False: 'The last delivery was not taken over.',
      },
      reasons: {
        WebhookSynced: 'The last delivery was taken over.',
        NothingReceived: 'No delivery has arrived yet.',
        WebhookRetrying: 'The last delivery could not be taken over yet, and is tried again.',
        WebhookFailed: 'The last delivery could not be taken over, and is not tried again.',
        InvalidPayload: 'The last delivery could not be understood.',
      },
    },
  ],
})
