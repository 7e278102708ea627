import { runConditions } from '@agents/status'

export const signalDeliveryConditions = runConditions({
  gates: [
    {
      type: 'Accepted',
      doc: {
        True: 'The Signal is there.',
        False: 'The Signal is not there, which is waited for, or the delivery is a repetition.',
      },
      reasons: {
        Accepted: 'The Signal is there.',
        SignalMissing: 'There is no Signal of this name yet.',
        SignalNotReady: 'The Signal is there, but not ready.',
        DuplicateDelivery: 'A delivery with the same identifier came before.',
      },
    },
  ],
})
