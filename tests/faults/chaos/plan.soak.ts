import { test } from 'vitest'
import { assertLaws } from '../../../services/jangar/src/server/orchestration-controller/plan/testing/plan-laws.ts'

test('the laws of orchestration runs hold for 50,000 graphs', () => assertLaws(50_000))
