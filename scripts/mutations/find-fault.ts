import type { Tier } from '../test/suites.ts'
import type { Tally } from '../test/tally-reporter.ts'
import type { TestFiles } from './test-files.ts'

/** What became of a fault. */
export type Outcome =
  | { readonly kind: 'gate' | 'full'; readonly by: string }
  | { readonly kind: 'not found' }
  /** The tests fail without the fault, too. */
  | { readonly kind: 'unclear'; readonly by: string }

interface Search {
  readonly gate: TestFiles
  readonly full: TestFiles
  /** Runs the tests with the fault in the product, or without it. */
  readonly run: (tests: TestFiles, tier: Tier, product: 'faulty' | 'correct') => Promise<Tally>
}

/** Runs what the gate runs of the tests; if that does not find the fault, all of them. */
export async function findFault({ gate, full, run }: Search): Promise<Outcome> {
  for (const [tier, tests] of [
    ['gate', gate],
    ['full', full],
  ] as const) {
    if (tests.files.length === 0) continue
    const { failed, failures } = await run(tests, tier, 'faulty')
    if (failed === 0) continue
    const correct = await run(tests, tier, 'correct')
    if (correct.failed > 0) return { kind: 'unclear', by: correct.failures[0]?.where ?? '' }
    return { kind: tier, by: failures[0]?.where ?? '' }
  }
  return { kind: 'not found' }
}
