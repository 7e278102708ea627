import type { Condition, ConditionStatus } from '@agents/kube'
import { foldVerdicts, type ReasonOf, type Verdict } from '@agents/status'
import { describe, expect, test } from 'vitest'
import { gitTargetConditions } from './conditions.ts'
import { gitTargetPhase, gitTargetPhases } from './phase.ts'

type Verdicts = readonly Verdict<ReasonOf<typeof gitTargetConditions>>[]

const passes = [
  { kind: 'pass', reason: 'OK', message: '' },
  { kind: 'pass', reason: 'NotRequired', message: '' },
  { kind: 'pass', reason: 'BootstrapApplied', message: '' },
  { kind: 'pass', reason: 'Completed', message: '' },
  { kind: 'pass', reason: 'Registered', message: '' },
] as const

function verdictsAfter(passed: number, ...last: Verdicts): Verdicts {
  return [...passes.slice(0, passed), ...last]
}

const at = { now: new Date('2026-01-01T00:00:00Z'), generation: 1 }

describe('a GitTarget, gate by gate', () => {
  const rows: {
    verdicts: Verdicts
    phase: string
    expectedConditions: string[]
    because: string
  }[] = [
    {
      verdicts: [],
      phase: 'PENDING',
      expectedConditions: ['Ready=False/NotChecked', 'Validated=Unknown/NotChecked'],
      because: 'it is new, and no gate was checked',
    },
    {
      verdicts: verdictsAfter(0, { kind: 'stall', reason: 'ProviderNotFound', message: '' }),
      phase: 'BOOTSTRAPPING',
      expectedConditions: ['Ready=False/ValidationFailed', 'Validated=False/ProviderNotFound'],
      because: 'the provider is missing',
    },
    {
      verdicts: verdictsAfter(0, { kind: 'threw', message: '' }),
      phase: 'BOOTSTRAPPING',
      expectedConditions: ['Ready=False/CheckFailed', 'Validated=Unknown/CheckFailed'],
      because: 'the check of the provider failed',
    },
    {
      verdicts: verdictsAfter(1),
      phase: 'BOOTSTRAPPING',
      expectedConditions: ['Ready=False/NotChecked', 'Validated=True/OK'],
      because: 'it is validated, and the other gates were not checked yet',
    },
    {
      verdicts: verdictsAfter(1, { kind: 'stall', reason: 'SecretCreateDisabled', message: '' }),
      phase: 'BOOTSTRAPPING',
      expectedConditions: [
        'Ready=False/EncryptionNotConfigured',
        'EncryptionConfigured=False/SecretCreateDisabled',
      ],
      because: 'the Secret is missing and may not be created',
    },
    {
      verdicts: verdictsAfter(2, { kind: 'wait', reason: 'WorkerNotFound', message: '' }),
      phase: 'BOOTSTRAPPING',
      expectedConditions: ['Ready=False/BootstrapNotComplete', 'Bootstrapped=False/WorkerNotFound'],
      because: 'there is no worker for the branch',
    },
    {
      verdicts: verdictsAfter(3, { kind: 'wait', reason: 'Running', message: '' }),
      phase: 'SYNCING',
      expectedConditions: ['Ready=False/InitialSyncInProgress', 'SnapshotSynced=False/Running'],
      because: 'the first snapshot is running',
    },
    {
      verdicts: verdictsAfter(3, { kind: 'threw', message: '' }),
      phase: 'SYNCING',
      expectedConditions: ['Ready=False/CheckFailed', 'SnapshotSynced=Unknown/CheckFailed'],
      because: 'the check of the snapshot failed',
    },
    {
      verdicts: verdictsAfter(3, { kind: 'stall', reason: 'SnapshotFailed', message: '' }),
      phase: 'SYNCING',
      expectedConditions: ['Ready=False/InitialSyncInProgress', 'Stalled=True/SnapshotFailed'],
      because: 'the snapshot would delete too much, and a person has to confirm it',
    },
    {
      verdicts: verdictsAfter(4, { kind: 'wait', reason: 'RegistrationFailed', message: '' }),
      phase: 'DEGRADED',
      expectedConditions: ['Ready=False/StreamNotLive', 'EventStreamLive=False/RegistrationFailed'],
      because: 'a stream could not be opened',
    },
    {
      verdicts: verdictsAfter(4, { kind: 'threw', message: '' }),
      phase: 'DEGRADED',
      expectedConditions: ['Ready=False/CheckFailed', 'EventStreamLive=Unknown/CheckFailed'],
      because: 'the check of the streams failed',
    },
    {
      verdicts: verdictsAfter(5),
      phase: 'RUNNING',
      expectedConditions: ['Ready=True/OK', 'EncryptionConfigured=True/NotRequired'],
      because: 'every gate is True, also one that was not required',
    },
  ]
  test.each(rows)('is $phase when $because', ({ verdicts, phase, expectedConditions }) => {
    const { conditions } = foldVerdicts(gitTargetConditions, verdicts, undefined, at)
    expect(gitTargetPhase(conditions)).toBe(phase)
    expect(conditions.map((c) => `${c.type}=${c.status}/${c.reason}`)).toEqual(
      expect.arrayContaining(expectedConditions),
    )
  })
})

describe('the phase', () => {
  test('does not claim more than the summary: all gates True is not RUNNING by itself', () => {
    const { conditions } = foldVerdicts(gitTargetConditions, verdictsAfter(5), undefined, at)
    expect(gitTargetPhase(conditions.filter(({ type }) => type !== 'Ready'))).toBe('BOOTSTRAPPING')
  })

  const types = ['Ready', ...gitTargetConditions.gates.map(({ type }) => type)]
  const values: [ConditionStatus, string][] = [
    ['True', 'OK'],
    ['False', 'Failed'],
    ['Unknown', 'NotChecked'],
    ['Unknown', 'Blocked'],
  ]

  /** Every combination of the values of the summary and the gates: 4 to the 6th. */
  function* combinations(left = types): Generator<Condition[]> {
    const [type, ...rest] = left
    if (type === undefined) return yield []
    for (const [status, reason] of values) {
      for (const others of combinations(rest)) {
        yield [{ type, status, reason, message: '', lastTransitionTime: '' }, ...others]
      }
    }
  }

  test('is defined for all conditions, and has every value', () => {
    const seen = new Set<string>()
    for (const conditions of combinations()) seen.add(gitTargetPhase(conditions))
    expect([...seen].sort()).toEqual([...gitTargetPhases].sort())
  })

  test('does not depend on the order of the conditions', () => {
    for (const conditions of combinations()) {
      expect(gitTargetPhase(conditions.toReversed())).toBe(gitTargetPhase(conditions))
    }
  })
})
