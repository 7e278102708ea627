import type { Condition } from '@agents/kube'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { FoldedStatus } from './fold-gate.ts'
import { foldRunVerdicts } from './fold-run-verdicts.ts'
import { isFinished } from './is-finished.ts'
import { nextStatus } from './next-status.ts'
import { runConditions } from './run-conditions.ts'
import { runPhase } from './run-phase.ts'
import type { RunVerdict } from './verdict.ts'

const doc = { True: 'Yes.', False: 'No.' }
const set = runConditions({
  gates: [
    { type: 'Accepted', doc, reasons: { OK: 'Fine.', InvalidSpec: 'Wrong.', Missing: 'Absent.' } },
    { type: 'Admitted', doc, reasons: { OK: 'Fine.', Queued: 'In the queue.' } },
  ],
  progress: { Retrying: 'The last attempt failed.' },
  failures: { TimedOut: 'It took too long.' },
})
type V = RunVerdict<
  'OK' | 'InvalidSpec' | 'Missing' | 'Queued' | 'Retrying' | 'TimedOut' | 'Running' | 'Failed'
>

const pass: V = { kind: 'pass', reason: 'OK', message: 'fine' }
const missing: V = { kind: 'wait', reason: 'Missing', message: 'Agent x does not exist' }
const queued: V = { kind: 'wait', reason: 'Queued', message: 'place 3' }
const approval: V = { kind: 'stall', reason: 'Queued', message: 'waits for a person' }
const retrying: V = { kind: 'wait', reason: 'Retrying', message: 'attempt 2 in 5s' }
const threw: V = { kind: 'threw', message: 'no answer' }
const invalid: V = { kind: 'failed', reason: 'InvalidSpec', message: 'no such parameter' }
const timedOut: V = { kind: 'failed', reason: 'TimedOut', message: 'after 60 s' }
const cancelled: V = { kind: 'cancelled', message: 'asked for' }
const succeeded: V = { kind: 'succeeded', message: 'exit code 0' }

const minute = (n: number) => new Date(Date.UTC(2026, 0, 1, 0, n))
const play = (passes: readonly V[][]) => {
  let status: FoldedStatus | undefined
  return passes.map((verdicts, n) => {
    status = foldRunVerdicts(set, verdicts, status, { now: minute(n), generation: 1 })
    return status
  })
}
const brief = (status: FoldedStatus | undefined) =>
  status?.conditions.map(({ type, status, reason }) => `${type}=${status}/${reason}`)
const phaseOf = (status: FoldedStatus | undefined) => runPhase(set)(status?.conditions ?? [])

/** The four that follow the summary, so that a row shows only what is particular to it. */
const unfinished = (reason: string, finished: string) => [
  `Succeeded=Unknown/${reason}`,
  `Finished=${finished}`,
  `Ready=Unknown/${reason}`,
  `Reconciling=True/${reason}`,
]
const unsuccessful = (reason: string, finished = reason) => [
  `Succeeded=False/${reason}`,
  `Finished=True/${finished}`,
  `Ready=False/${reason}`,
  `Stalled=True/${reason}`,
]
const passed = ['Accepted=True/OK', 'Admitted=True/OK']

const rows: { passes: V[][]; says: string[]; phase: string; because: string }[] = [
  {
    passes: [[]],
    says: [
      ...unfinished('NotChecked', 'False/Pending'),
      'Accepted=Unknown/NotChecked',
      'Admitted=Unknown/NotChecked',
    ],
    phase: 'Pending',
    because: 'all conditions exist from the first write on',
  },
  {
    passes: [[missing]],
    says: [
      ...unfinished('Missing', 'False/Pending'),
      'Accepted=False/Missing',
      'Admitted=Unknown/Blocked',
    ],
    phase: 'Pending',
    because: 'a missing dependency is waited for, never a failure',
  },
  {
    passes: [[pass, approval]],
    says: [...unfinished('Queued', 'False/Pending'), 'Accepted=True/OK', 'Admitted=False/Queued'],
    phase: 'Pending',
    because: 'a run that waits for a person is pending, not stalled: it can still succeed',
  },
  {
    passes: [[pass, pass]],
    says: [...unfinished('Running', 'False/Running'), ...passed],
    phase: 'Running',
    because: 'every gate has passed, so the work is going on',
  },
  {
    passes: [[pass, pass, retrying]],
    says: [...unfinished('Retrying', 'False/Retrying'), ...passed],
    phase: 'Running',
    because: 'the work says how it is going on',
  },
  {
    passes: [[pass, pass, threw]],
    says: [...unfinished('CheckFailed', 'Unknown/CheckFailed'), ...passed],
    phase: 'Running',
    because: 'whether it is over could not be found out',
  },
  {
    passes: [[invalid]],
    says: [
      ...unsuccessful('InvalidSpec', 'Failed'),
      'Accepted=False/InvalidSpec',
      'Admitted=Unknown/Blocked',
    ],
    phase: 'Failed',
    because: 'a gate may end the run: Succeeded says why, Finished says how',
  },
  {
    passes: [[pass, pass, succeeded]],
    says: [
      'Succeeded=True/Succeeded',
      'Finished=True/Succeeded',
      'Ready=True/Succeeded',
      ...passed,
    ],
    phase: 'Succeeded',
    because: 'the companions are absent, not False, after success',
  },
  {
    passes: [[pass, pass], [timedOut]],
    says: [...unsuccessful('TimedOut'), ...passed],
    phase: 'Failed',
    because: 'whoever finds the outcome first, the gates keep what they said',
  },
  {
    passes: [[pass, queued], [cancelled]],
    says: [...unsuccessful('Cancelled'), 'Accepted=True/OK', 'Admitted=False/Queued'],
    phase: 'Cancelled',
    because: 'a run cancelled in the queue shows that it never left it',
  },
  {
    passes: [[cancelled]],
    says: [...unsuccessful('Cancelled'), 'Accepted=Unknown/Blocked', 'Admitted=Unknown/Blocked'],
    phase: 'Cancelled',
    because: 'a run cancelled before anything was asked has all its conditions too',
  },
  {
    passes: [[pass, pass], [missing]],
    says: [...unfinished('Missing', 'False/Running'), ...passed],
    phase: 'Running',
    because: 'an Agent deleted under a running run does not un-start it',
  },
  {
    passes: [[pass, pass], [threw]],
    says: [...unfinished('CheckFailed', 'False/Running'), ...passed],
    phase: 'Running',
    because: 'an API server that does not answer does not un-start it either',
  },
  {
    passes: [[pass, queued], [missing]],
    says: [
      ...unfinished('Missing', 'False/Pending'),
      'Accepted=False/Missing',
      'Admitted=Unknown/Blocked',
    ],
    phase: 'Pending',
    because: 'before the start a gate may take back what it said',
  },
]

describe('folding what is known about a run', () => {
  test.each(rows)('$because', ({ passes, says, phase }) => {
    const last = play(passes).at(-1)
    expect(brief(last)).toEqual(says)
    expect(phaseOf(last)).toBe(phase)
  })

  test('a run that has ended stays as it ended, but follows the generation it is looked at for', () => {
    const [ended] = play([[pass, pass, succeeded]])
    const at = { now: minute(9), generation: 2 }
    const after = foldRunVerdicts(set, [invalid], ended, at)
    expect(brief(after)).toEqual(brief(ended))
    expect(after.observedGeneration).toBe(2)
    expect(after.conditions.map((condition) => condition.observedGeneration)).toEqual([
      2, 2, 2, 2, 2,
    ])
  })

  test('a run that has ended keeps the first of two entries of one type', () => {
    const [ended] = play([[pass, pass, succeeded]])
    const [first, ...others] = ended?.conditions ?? []
    const twice = { conditions: [first, ...others, { ...first, reason: 'Running' }] as Condition[] }
    const after = foldRunVerdicts(set, [], twice, { now: minute(9), generation: 1 })
    expect(after).toEqual(ended)
  })

  test('a gate that is never asked does not claim to wait', () => {
    const [ended] = play([[cancelled]])
    const accepted = ended?.conditions.find(({ type }) => type === 'Accepted')
    expect(accepted?.message).toBe('the run ended before this was asked')
  })

  test('a generation whose gate threw is not observed', () => {
    const [before] = play([[pass, pass]])
    const at = { now: minute(1), generation: 2 }
    expect(foldRunVerdicts(set, [threw], before, at).observedGeneration).toBe(1)
    expect(foldRunVerdicts(set, [pass, pass, threw], before, at).observedGeneration).toBe(1)
    expect(foldRunVerdicts(set, [pass, queued], before, at).observedGeneration).toBe(2)
  })

  test.each([
    { verdicts: [pass, pass, pass], because: 'there is nothing to pass after the last gate' },
    { verdicts: [pass, invalid], because: 'a run cannot fail for a reason of another gate' },
    { verdicts: [retrying], because: 'a gate cannot wait for a reason of the work' },
    {
      verdicts: [pass, pass, succeeded, succeeded],
      because: 'there is no question after the last',
    },
    { verdicts: [missing, pass], because: 'a gate was asked past one that did not pass' },
  ])('refuses: $because', ({ verdicts }) => {
    expect(() => play([verdicts])).toThrow(TypeError)
  })
})

const any = fc.constantFrom<V[]>(
  [],
  [missing],
  [threw],
  [invalid],
  [cancelled],
  [pass, queued],
  [pass, pass],
  [pass, pass, retrying],
  [pass, pass, threw],
  [pass, pass, timedOut],
  [pass, pass, succeeded],
)
const history = fc.array(any, { minLength: 1, maxLength: 12 })

describe('any history of a run', () => {
  test('never changes its outcome', () => {
    fc.assert(
      fc.property(history, (passes) => {
        const seen = play(passes)
        const end = seen.findIndex(({ conditions }) => isFinished(conditions))
        for (const after of end === -1 ? [] : seen.slice(end)) expect(after).toEqual(seen[end])
      }),
    )
  })

  test('keeps each declared type once, in order, with declared reasons', () => {
    const order = set.all.map(({ type }) => type)
    const reasons = new Map(set.all.map(({ type, reasons }) => [type, Object.keys(reasons)]))
    fc.assert(
      fc.property(history, (passes) => {
        for (const { conditions } of play(passes)) {
          const places = conditions.map(({ type }) => order.indexOf(type))
          expect(places).toEqual([...new Set(places)].sort((a, b) => a - b))
          for (const { type, reason } of conditions) expect(reasons.get(type)).toContain(reason)
        }
      }),
    )
  })

  test('never goes back from Running to Pending', () => {
    fc.assert(
      fc.property(history, (passes) => {
        const phases = play(passes).map(phaseOf)
        expect(phases.lastIndexOf('Pending')).toBeLessThan(
          phases.includes('Running') ? phases.indexOf('Running') : phases.length,
        )
      }),
    )
  })

  test('is settled: the same verdicts again, at any later time, write nothing', () => {
    fc.assert(
      fc.property(history, fc.integer({ min: 0, max: 1e9 }), (passes, laterMs) => {
        const last = play(passes).at(-1)
        const now = new Date(minute(passes.length).getTime() + laterMs)
        const again = foldRunVerdicts(set, passes.at(-1) ?? [], last, { now, generation: 1 })
        expect(nextStatus(last, again, now)).toBeUndefined()
      }),
    )
  })
})
