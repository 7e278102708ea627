import { livingConditions } from '@agents/status'
import { validated } from '../../gate.ts'

export const budgetConditions = livingConditions({
  gates: [
    validated({
      InvalidLimit: 'A limit is not a number or quantity.',
      InvalidScope: 'The label selector makes no sense.',
    }),
    {
      type: 'WithinLimits',
      doc: {
        True: 'There is something left.',
        False: 'A limit is reached: no work starts, and running work is stopped.',
      },
      reasons: {
        WithinLimits: 'There is something left.',
        BudgetExhausted: 'A limit is reached; the message says which.',
      },
    },
  ],
})
