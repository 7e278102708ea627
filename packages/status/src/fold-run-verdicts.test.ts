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
const queued: V = { kind: 'wait', reason: 'Queued', message: 'position 3' }
const approval: V = { kind: 'stall', reason: 'Queued', message: 'waiting for approval' }
const retrying: V = { kind: 'wait', reason: 'Retrying', message: 'attempt 2 in 5s' }
const threw: V = { kind: 'threw', message: 'no answer' }
const invalid: V = { kind: 'failed', reason: 'InvalidSpec', message: 'no such parameter' }
const timedOut: V = { kind: 'failed', reason: 'TimedOut', message: 'after 60 s' }
const cancelled: V = { kind: 'cancelled', message: 'requested' }
const succeeded: V = { kind: 'succeeded', message: 'exit code 0' }

function minute(n: number): Date {
  return new Date(Date.UTC(2026, 0, 1, 0, n))
}

/** Folds the verdicts of one reconcile a minute; returns the status after each. */
function play(reconciles: readonly V[][]): FoldedStatus[] {
  let status: FoldedStatus | undefined
  return reconciles.map((verdicts, n) => {
    status = foldRunVerdicts(set, verdicts, status, { now: minute(n), generation: 1 })
    return status
  })
}

function brief(status: FoldedStatus | undefined): string[] | undefined {
  return status?.conditions.map(({ type, status, reason }) => `${type}=${status}/${reason}`)
}

function phaseOf(status: FoldedStatus | undefined): string {
  return runPhase(set)(status?.conditions ?? [])
}

/** The four conditions of a run that has not finished. */
function unfinished(reason: string, finished: string): string[] {
  return [
    `Succeeded=Unknown/${reason}`,
    `Finished=${finished}`,
    `Ready=Unknown/${reason}`,
    `Reconciling=True/${reason}`,
  ]
}

/** The four conditions of a run that failed or was cancelled. */
function unsuccessful(reason: string, finished = reason): string[] {
  return [
    `Succeeded=False/${reason}`,
    `Finished=True/${finished}`,
    `Ready=False/${reason}`,
    `Stalled=True/${reason}`,
  ]
}

const passed = ['Accepted=True/OK', 'Admitted=True/OK']

const rows: { reconciles: V[][]; conditions: string[]; phase: string; because: string }[] = [
  {
    reconciles: [[]],
    conditions: [
      ...unfinished('NotChecked', 'False/Pending'),
      'Accepted=Unknown/NotChecked',
      'Admitted=Unknown/NotChecked',
    ],
    phase: 'Pending',
    because: 'all conditions exist from the first write on',
  },
  {
    reconciles: [[missing]],
    conditions: [
      ...unfinished('Missing', 'False/Pending'),
      'Accepted=False/Missing',
      'Admitted=Unknown/Blocked',
    ],
    phase: 'Pending',
    because: 'a run with a missing dependency waits and does not fail',
  },
  {
    reconciles: [[pass, approval]],
    conditions: [
      ...unfinished('Queued', 'False/Pending'),
      'Accepted=True/OK',
      'Admitted=False/Queued',
    ],
    phase: 'Pending',
    because: 'a run that waits for an approval is pending, not stalled: it can still succeed',
  },
  {
    reconciles: [[pass, pass]],
    conditions: [...unfinished('Running', 'False/Running'), ...passed],
    phase: 'Running',
    because: 'a run whose gates have all passed is running',
  },
  {
    reconciles: [[pass, pass, retrying]],
    conditions: [...unfinished('Retrying', 'False/Retrying'), ...passed],
    phase: 'Running',
    because: 'the verdict after the gates reports the progress of the work',
  },
  {
    reconciles: [[pass, pass, threw]],
    conditions: [...unfinished('CheckFailed', 'Unknown/CheckFailed'), ...passed],
    phase: 'Running',
    because: 'Finished is Unknown if the check of the work failed',
  },
  {
    reconciles: [[invalid]],
    conditions: [
      ...unsuccessful('InvalidSpec', 'Failed'),
      'Accepted=False/InvalidSpec',
      'Admitted=Unknown/Blocked',
    ],
    phase: 'Failed',
    because: 'a gate may end the run: Succeeded has its reason, Finished the outcome',
  },
  {
    reconciles: [[pass, pass, succeeded]],
    conditions: [
      'Succeeded=True/Succeeded',
      'Finished=True/Succeeded',
      'Ready=True/Succeeded',
      ...passed,
    ],
    phase: 'Succeeded',
    because: 'the companions are absent, not False, after success',
  },
  {
    reconciles: [[pass, pass], [timedOut]],
    conditions: [...unsuccessful('TimedOut'), ...passed],
    phase: 'Failed',
    because: 'gates keep their conditions when an earlier gate returns the outcome',
  },
  {
    reconciles: [[pass, queued], [cancelled]],
    conditions: [...unsuccessful('Cancelled'), 'Accepted=True/OK', 'Admitted=False/Queued'],
    phase: 'Cancelled',
    because: 'a run that was cancelled in the queue still shows that it was queued',
  },
  {
    reconciles: [[cancelled]],
    conditions: [
      ...unsuccessful('Cancelled'),
      'Accepted=Unknown/Blocked',
      'Admitted=Unknown/Blocked',
    ],
    phase: 'Cancelled',
    because: 'a run that was cancelled before any check has all its conditions',
  },
  {
    reconciles: [[pass, pass], [missing]],
    conditions: [...unfinished('Missing', 'False/Running'), ...passed],
    phase: 'Running',
    because: 'deleting the Agent of a running run does not undo its start',
  },
  {
    reconciles: [[pass, pass], [threw]],
    conditions: [...unfinished('CheckFailed', 'False/Running'), ...passed],
    phase: 'Running',
    because: 'a failed check does not undo the start of a running run',
  },
  {
    reconciles: [[pass, queued], [missing]],
    conditions: [
      ...unfinished('Missing', 'False/Pending'),
      'Accepted=False/Missing',
      'Admitted=Unknown/Blocked',
    ],
    phase: 'Pending',
    because: 'before the start, a gate can change from True to False',
  },
]

describe('folding the verdicts of a run', () => {
  test.each(rows)('$because', ({ reconciles, conditions, phase }) => {
    const last = play(reconciles).at(-1)
    expect(brief(last)).toEqual(conditions)
    expect(phaseOf(last)).toBe(phase)
  })

  test('a finished run keeps its conditions but observes new generations', () => {
    const [ended] = play([[pass, pass, succeeded]])
    const at = { now: minute(9), generation: 2 }
    const after = foldRunVerdicts(set, [invalid], ended, at)
    expect(brief(after)).toEqual(brief(ended))
    expect(after.observedGeneration).toBe(2)
    expect(after.conditions.map((condition) => condition.observedGeneration)).toEqual([
      2, 2, 2, 2, 2,
    ])
  })

  test('a finished run keeps the first of two entries of one type', () => {
    const [ended] = play([[pass, pass, succeeded]])
    const [first, ...others] = ended?.conditions ?? []
    const twice = { conditions: [first, ...others, { ...first, reason: 'Running' }] as Condition[] }
    const after = foldRunVerdicts(set, [], twice, { now: minute(9), generation: 1 })
    expect(after).toEqual(ended)
  })

  test('a gate that is never checked does not claim to wait', () => {
    const [ended] = play([[cancelled]])
    const accepted = ended?.conditions.find(({ type }) => type === 'Accepted')
    expect(accepted?.message).toBe('the run finished before this gate was checked')
  })

  test('a generation whose gate threw is not observed', () => {
    const [before] = play([[pass, pass]])
    const at = { now: minute(1), generation: 2 }
    expect(foldRunVerdicts(set, [threw], before, at).observedGeneration).toBe(1)
    expect(foldRunVerdicts(set, [pass, pass, threw], before, at).observedGeneration).toBe(1)
    expect(foldRunVerdicts(set, [pass, queued], before, at).observedGeneration).toBe(2)
  })

  test.each([
    { verdicts: [pass, pass, pass], because: 'a pass after the last gate' },
    { verdicts: [pass, invalid], because: 'a failure with the reason of another gate' },
    { verdicts: [retrying], because: 'a gate that waits with a reason of the work' },
    { verdicts: [pass, pass, succeeded, succeeded], because: 'more verdicts than checks' },
    { verdicts: [missing, pass], because: 'a verdict after a gate that did not pass' },
  ])('rejects $because', ({ verdicts }) => {
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
      fc.property(history, (reconciles) => {
        const seen = play(reconciles)
        const end = seen.findIndex(({ conditions }) => isFinished(conditions))
        for (const after of end === -1 ? [] : seen.slice(end)) expect(after).toEqual(seen[end])
      }),
    )
  })

  test('keeps each declared type once, in order, with declared reasons', () => {
    const order = set.all.map(({ type }) => type)
    const reasons = new Map(set.all.map(({ type, reasons }) => [type, Object.keys(reasons)]))
    fc.assert(
      fc.property(history, (reconciles) => {
        for (const { conditions } of play(reconciles)) {
          const positions = conditions.map(({ type }) => order.indexOf(type))
          expect(positions).toEqual([...new Set(positions)].sort((a, b) => a - b))
          for (const { type, reason } of conditions) expect(reasons.get(type)).toContain(reason)
        }
      }),
    )
  })

  test('never goes back from Running to Pending', () => {
    fc.assert(
      fc.property(history, (reconciles) => {
        const phases = play(reconciles).map(phaseOf)
        expect(phases.lastIndexOf('Pending')).toBeLessThan(
          phases.includes('Running') ? phases.indexOf('Running') : phases.length,
        )
      }),
    )
  })

  test('is settled: the same verdicts at any later time cause no write', () => {
    fc.assert(
      fc.property(history, fc.integer({ min: 0, max: 1e9 }), (reconciles, laterMs) => {
        const last = play(reconciles).at(-1)
        const now = new Date(minute(reconciles.length).getTime() + laterMs)
        const again = foldRunVerdicts(set, reconciles.at(-1) ?? [], last, { now, generation: 1 })
        expect(nextStatus(last, again, now)).toBeUndefined()
      }),
    )
  })
})
