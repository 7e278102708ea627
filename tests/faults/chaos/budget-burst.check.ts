import { isFull } from '../../support/tier.ts'
import { testBudgetBurst } from './budget-burst.ts'

if (isFull) testBudgetBurst(100, 20, 4)
else testBudgetBurst(36, 9, 3)
