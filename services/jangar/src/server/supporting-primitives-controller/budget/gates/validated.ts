import { type GateOf, pass, stall } from '@agents/controller'
import type { Budget, budgetConditions } from '@agents/jangar-api'
import { readBudget } from '../../../budgets/read-budget.ts'
import type { BudgetDetail } from '../budget-detail.ts'

export const validated: GateOf<typeof budgetConditions, 'Validated', Budget, BudgetDetail> = {
  condition: 'Validated',
  check: (budget) => {
    const { problem } = readBudget(budget)
    if (problem === undefined) return pass('Valid', 'the spec is valid')
    return stall(problem.reason, `${problem.message}; no run of its scope starts until then`)
  },
}
