import { describe, expect, test } from 'vitest'
import { decisions } from './decisions.ts'
import { assertLaws, lawsBrokenBy, type Mutant } from './testing/plan-laws.ts'
import { testChildName } from './testing/test-run.ts'

describe('whatever happens to whatever graph', () => {
  test('the laws hold', () => assertLaws(20_000))
})

let creations = 0

/** Each with one decision that is wrong, and a law that it breaks. */
const mutants: readonly (Mutant & { readonly wrong: string; readonly law: string })[] = [
  {
    wrong: 'a failed attempt is always followed by another one',
    law: 'at most the attempts',
    decisions: { mayRetry: (_step, { attempt }) => attempt < 6 },
  },
  {
    wrong: 'the attempts of a step share a child',
    law: 'all attempts',
    childName: (step, item) => testChildName(step, item, 1),
  },
  {
    wrong: 'the name of a child says nothing about its attempt',
    law: 'no child twice',
    childName: (step, item, attempt) => {
      creations += 1
      return `${testChildName(step, item, attempt)}-${creations}`
    },
  },
  {
    wrong: 'timeouts of attempts are not noticed',
    law: 'always an end',
    decisions: { deadlineOf: () => Number.POSITIVE_INFINITY },
  },
  {
    wrong: 'nothing happens without an event',
    law: 'always an end',
    decisions: { nextOf: () => undefined },
  },
  {
    wrong: 'a step waits for one that was skipped',
    law: 'always an end',
    decisions: {
      readiness: (step, stateOf) => {
        const readiness = decisions.readiness(step, stateOf)
        return readiness.kind === 'skipped' ? { kind: 'waiting' } : readiness
      },
    },
  },
  {
    wrong: 'a step starts after a failed dependency',
    law: 'no step runs after a failed dependency',
    decisions: {
      readiness: (step, stateOf) => decisions.readiness({ ...step, runAfter: 'Finished' }, stateOf),
    },
  },
  {
    wrong: 'a step does not wait for its dependencies',
    law: 'each step ends as it must',
    decisions: { readiness: () => ({ kind: 'ready' }) },
  },
  {
    wrong: 'a cancel is not noticed',
    law: 'nothing starts after a cancel',
    decisions: {
      stopCause: (run, now, main, failFast) =>
        main.some(({ phase }) => phase === 'Running')
          ? decisions.stopCause({ ...run, isCancelled: false }, now, main, failFast)
          : decisions.stopCause(run, now, main, failFast),
    },
  },
  {
    wrong: 'a failure stops what is there for failures',
    law: 'runAfter Finished always runs',
    decisions: { outlasts: () => false },
  },
  {
    wrong: 'unexpected children are left alone',
    law: 'no child runs after the end',
    decisions: { isStray: () => false },
  },
  {
    wrong: 'there is always a place',
    law: 'no more at once than allowed',
    decisions: { places: () => Number.POSITIVE_INFINITY },
  },
  {
    wrong: 'the last steps do not wait',
    law: 'finally comes last',
    decisions: { isLastDue: () => true },
  },
  {
    wrong: 'the last steps wait for success',
    law: 'always an end',
    decisions: { isLastDue: (main) => main.every(({ phase }) => phase === 'Succeeded') },
  },
  {
    wrong: 'a step is taken over although one before it ran again',
    law: 'what changed runs again',
    decisions: { mayReuse: () => true },
  },
  {
    wrong: 'an approval is taken over',
    law: 'each run asks for its own approvals',
    decisions: {
      mayReuse: (step, reuse, steps) =>
        decisions.mayReuse({ ...step, kind: 'AgentRun' }, reuse, steps),
    },
  },
  {
    wrong: 'nothing is taken over',
    law: 'what did not change is taken over',
    decisions: { mayReuse: () => false },
  },
]

describe('a law is broken if', () => {
  test.each(mutants)('$wrong: $law', ({ law, ...mutant }) => {
    expect(lawsBrokenBy(mutant, 1000)).toContain(law)
  })
})
