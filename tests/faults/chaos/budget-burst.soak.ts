import { testBudgetBurst } from './budget-burst.ts'

testBudgetBurst(500, 100, 20)
