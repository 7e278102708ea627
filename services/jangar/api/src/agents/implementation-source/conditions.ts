import { livingConditions } from '@agents/status'
import { credentialsResolved, validated, versionControlResolved } from '../../gate.ts'

export const implementationSourceConditions = livingConditions({
  gates: [
    validated({
      WebhookDisabled: 'Webhooks are disabled and no issues are listed.',
      UnsupportedMapping: 'The mapping has an unknown field.',
      MissingRepository: 'Issues are listed of one repository, and none is specified.',
      ProviderMismatch: 'Issues of the provider cannot be listed with the VersionControlProvider.',
      AddressInvalid: 'The URL of the API cannot be used.',
      UnsupportedScope: 'The scope uses a field or a query that is not supported.',
      ExpressionInvalid: 'The expression of a trigger cannot be compiled.',
      TemplateInvalid:
        'The template of a trigger cannot be filled in, or has an event in a field that others must not decide.',
      UnsupportedTrigger: 'The triggers need what the source or its provider does not have.',
    }),
    credentialsResolved,
    versionControlResolved,
    {
      type: 'Served',
      doc: {
        True: 'The platform receives the deliveries of the source, or lists its issues.',
        False: 'The platform does not receive deliveries, and lists no issues.',
      },
      reasons: {
        Served: 'The platform receives deliveries.',
        Polled: 'The issues are listed; deliveries are disabled, or not received.',
        NotServed: 'The platform does not receive deliveries.',
      },
    },
    {
      type: 'Synced',
      doc: {
        True: 'The last delivery and the last list were imported.',
        False: 'The last delivery or the last list was not imported.',
      },
      reasons: {
        WebhookSynced: 'The last delivery was imported.',
        Listed: 'The issues were listed and imported.',
        NotListed: 'The issues were not listed yet.',
        ListFailed: 'Listing the issues failed and is retried.',
        NothingReceived: 'No delivery was received yet.',
        WebhookRetrying: 'Importing the last delivery failed and is retried.',
        WebhookFailed: 'Importing the last delivery failed permanently.',
        InvalidPayload: 'The payload of the last delivery is invalid.',
      },
    },
  ],
})
