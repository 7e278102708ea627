import { runConditions } from '@agents/status'

export const signalDeliveryConditions = runConditions({
  gates: [
    {
      type: 'Accepted',
      doc: {
        True: 'The Signal exists, the payload fits its schema, and no earlier delivery has the same identifier.',
        False:
          'The Signal does not exist or is not ready, and the delivery waits for it; or the delivery is rejected or a duplicate, and fails.',
      },
      reasons: {
        Accepted: 'The Signal exists, and the payload fits its schema.',
        SignalMissing: 'The Signal does not exist yet.',
        SignalNotReady: 'The Signal is not ready.',
        EarlierDelivery:
          'An earlier delivery has the same identifier, and has not been checked yet.',
        Rejected: 'The payload does not fit the schema of the Signal, or the delivery is invalid.',
        Duplicate: 'An earlier delivery has the same identifier.',
      },
    },
  ],
})
