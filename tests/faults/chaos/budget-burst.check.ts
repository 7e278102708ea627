import { testBudgetBurst } from './budget-burst.ts'

testBudgetBurst(100, 20, 4)
