import { livingConditions } from '@agents/status'
import { validated } from '../../gate.ts'

export const budgetConditions = livingConditions({
  gates: [
    validated({
      NoLimits: 'No limits are specified.',
      InvalidLimit: 'A limit is not a valid number or quantity, is negative, or is not known.',
      InvalidScope: 'The label selector is invalid.',
      UnknownTimezone: 'The time zone is unknown.',
      InvalidReservation: 'An amount of the reservation is invalid.',
      InvalidAlert: 'An alert is not a percentage from 1 to 100.',
    }),
    {
      type: 'WithinLimits',
      doc: {
        True: 'All limits have capacity left.',
        False: 'A limit is reached; see spec.onExceeded for what follows.',
      },
      reasons: {
        WithinLimits: 'All limits have capacity left.',
        NearLimit: 'Usage has reached a percentage of spec.alerts; see the message.',
        BudgetExhausted: 'A limit is reached; see the message.',
      },
    },
  ],
})
