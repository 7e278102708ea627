import fc from 'fast-check'
import type { Scenario } from './simulated-run.ts'
import { step, type TestStep } from './test-run.ts'

const kinds = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom('AgentRun', 'ToolRun', 'SubOrchestration', 'MemoryOp') },
  { weight: 2, arbitrary: fc.constant('Checkpoint') },
  { weight: 2, arbitrary: fc.constant('SignalWait') },
  { weight: 1, arbitrary: fc.constant('ApprovalGate') },
)

const draft = fc.record({
  kind: kinds,
  isLast: fc.boolean(),
  /** Bits that select earlier steps. */
  dependsOn: fc.nat(255),
  runAfter: fc.constantFrom('Succeeded' as const, 'Succeeded' as const, 'Finished' as const),
  retries: fc.constantFrom(0, 0, 1, 2),
  retryBackoffSeconds: fc.constantFrom(0, 0, 5),
  timeoutSeconds: fc.constantFrom(0, 0, 10, 60),
  when: fc.constantFrom('none', 'none', 'none', 'false', 'outcome'),
  loop: fc.constantFrom('none', 'none', 'none', 'none', 'items', 'from'),
  items: fc.array(fc.nat(9), { maxLength: 4 }),
  maxParallel: fc.constantFrom(undefined, 1, 2),
  problem: fc.constantFrom(undefined, ...Array.from({ length: 19 }, () => undefined), 'broken'),
})

type Draft = typeof draft extends fc.Arbitrary<infer D> ? D : never

/** Graphs of all shapes, in any order, with everything that can happen to them. */
export const scenarios: fc.Arbitrary<Scenario> = fc.record({
  steps: fc
    .tuple(fc.array(draft, { minLength: 1, maxLength: 8, size: 'max' }), fc.boolean())
    .map(([drafts, isReversed]) => {
      const steps = graphOf(drafts)
      return isReversed ? steps.toReversed() : steps
    }),
  failFast: fc.boolean(),
  parallelism: fc.constantFrom(0, 0, 1, 2, 3),
  timeoutSeconds: fc.constantFrom(0, 0, 0, 30),
  isCancelled: fc.constantFrom(false, false, true),
  deletesChildren: fc.constantFrom(false, false, true),
  restartsStale: fc.boolean(),
  seed: fc.noBias(fc.nat()),
})

function graphOf(drafts: readonly Draft[]): TestStep[] {
  const steps: TestStep[] = []
  for (const [index, one] of drafts.entries()) {
    // The first step is an ordinary one: a run consists of more than last steps.
    const isLast = one.isLast && index > 0 && index >= drafts.length - 2
    const before = steps.filter(({ finally: last }) => last === isLast)
    const dependsOn = before.filter((_, bit) => one.dependsOn & (1 << bit)).map(({ name }) => name)
    steps.push(stepOf(`s${index}`, one, dependsOn, isLast))
  }
  return steps
}

function stepOf(name: string, one: Draft, dependsOn: string[], isLast: boolean): TestStep {
  const { kind, runAfter, retries, retryBackoffSeconds, maxParallel, problem } = one
  const [first] = dependsOn
  const isOutcome = one.when === 'outcome' && first !== undefined
  const isFrom = one.loop === 'from' && first !== undefined
  return step(name, {
    kind,
    dependsOn,
    runAfter,
    finally: isLast,
    retries,
    retryBackoffSeconds,
    timeoutSeconds: one.timeoutSeconds,
    prompt: name,
    problem,
    ...(one.when === 'false' && { when: false }),
    ...(isOutcome && { when: { step: first, is: 'Succeeded' } }),
    ...(one.loop === 'items' && { forEach: { maxParallel }, items: one.items }),
    ...(isFrom && { forEach: { maxParallel }, items: { from: first } }),
  })
}
