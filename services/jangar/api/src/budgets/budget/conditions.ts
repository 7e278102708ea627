import { livingConditions } from '@agents/status'
import { validated } from '../../gate.ts'

export const budgetConditions = livingConditions({
  gates: [
    validated({
      InvalidLimit: 'A limit is not a valid number or quantity.',
      InvalidScope: 'The label selector is invalid.',
    }),
    {
      type: 'WithinLimits',
      doc: {
        True: 'All limits have capacity left.',
        False: 'A limit is reached: no run starts, and running ones are stopped.',
      },
      reasons: {
        WithinLimits: 'All limits have capacity left.',
        BudgetExhausted: 'A limit is reached; see the message.',
      },
    },
  ],
})
