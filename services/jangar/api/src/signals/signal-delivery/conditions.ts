import { runConditions } from '@agents/status'

export const signalDeliveryConditions = runConditions({
  gates: [
    {
      type: 'Accepted',
      doc: {
        True: 'The Signal exists and is ready.',
        False:
          'The Signal does not exist or is not ready, and the delivery waits for it; or the delivery is a duplicate.',
      },
      reasons: {
        Accepted: 'The Signal exists and is ready.',
        SignalMissing: 'The Signal does not exist yet.',
        SignalNotReady: 'The Signal is not ready.',
        DuplicateDelivery: 'An earlier delivery has the same identifier.',
      },
    },
  ],
})
