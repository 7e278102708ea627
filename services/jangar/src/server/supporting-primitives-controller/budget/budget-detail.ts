import type { Budget } from '@agents/jangar-api'

type BudgetStatus = NonNullable<Budget['status']>

type Named =
  | 'used'
  | 'reserved'
  | 'activeRuns'
  | 'unpricedTokens'
  | 'source'
  | 'alert'
  | 'windowStartedAt'
  | 'windowEndsAt'

/** The fields of a Budget's status beside its conditions. Undefined removes a field. */
export type BudgetDetail = { [Name in Named]: BudgetStatus[Name] | undefined }
