import { test } from 'vitest'
import { assertLaws } from './testing/plan-laws.ts'

// The same graphs each time: plan.property.full.ts makes others.
test('the laws hold, whatever happens to whatever graph', () => assertLaws(4_000, { seed: 1 }))
