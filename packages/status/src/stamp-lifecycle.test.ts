import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { RunPhase } from './run-phase.ts'
import { type Lifecycle, stampLifecycle } from './stamp-lifecycle.ts'

/** Stamps one phase a minute, starting at minute 0; returns the lifecycle after each. */
function play(phases: readonly RunPhase[]): Lifecycle[] {
  let lifecycle: Lifecycle | undefined
  return phases.map((phase, minute) => {
    lifecycle = stampLifecycle(lifecycle, phase, new Date(Date.UTC(2026, 0, 1, 0, minute)))
    return lifecycle
  })
}

function minute(n: number): string {
  return `2026-01-01T00:0${n}:00Z`
}

const rows: { phases: RunPhase[]; ends: Lifecycle; because: string }[] = [
  { phases: ['Pending'], ends: {}, because: 'waiting is neither start nor end' },
  {
    phases: ['Pending', 'Running'],
    ends: { startedAt: minute(1) },
    because: 'startedAt is the first entry into Running',
  },
  {
    phases: ['Running', 'Running', 'Running'],
    ends: { startedAt: minute(0) },
    because: 'reconciling a running run again does not start it again',
  },
  {
    phases: ['Running', 'Pending', 'Running'],
    ends: { startedAt: minute(0) },
    because: 'a retry does not move the start',
  },
  {
    phases: ['Pending', 'Running', 'Succeeded'],
    ends: { startedAt: minute(1), finishedAt: minute(2) },
    because: 'finishedAt is the first entry into a terminal phase',
  },
  {
    phases: ['Running', 'Succeeded', 'Succeeded', 'Failed', 'Running'],
    ends: { startedAt: minute(0), finishedAt: minute(1) },
    because: 'replayed events of a finished run change nothing',
  },
  {
    phases: ['Pending', 'Failed'],
    ends: { finishedAt: minute(1) },
    because: 'a run that failed validation has finished without ever starting',
  },
  {
    phases: ['Pending', 'Cancelled'],
    ends: { finishedAt: minute(1) },
    because: 'a run that was cancelled in the queue has finished too',
  },
  {
    phases: ['Pending', 'Failed', 'Running'],
    ends: { finishedAt: minute(1) },
    because: 'nothing starts after it has finished',
  },
]

describe('lifecycle stamps', () => {
  test.each(rows)('$phases: $because', ({ phases, ends }) => {
    expect(play(phases).at(-1)).toEqual(ends)
  })

  test('survive a restart of the controller', () => {
    const status = { startedAt: '2025-12-31T23:59:59Z', phase: 'Running', attempts: 2 }
    expect(stampLifecycle(status, 'Running', new Date())).toEqual({ startedAt: status.startedAt })
  })
})

const anyPhases = fc.array(
  fc.constantFrom<RunPhase>('Pending', 'Running', 'Succeeded', 'Failed', 'Cancelled'),
  { minLength: 1, maxLength: 30 },
)

describe('any sequence of phases', () => {
  test('never rewrites or removes a stamp', () => {
    fc.assert(
      fc.property(anyPhases, (phases) => {
        const seen = play(phases)
        for (const name of ['startedAt', 'finishedAt'] as const) {
          const first = seen.findIndex((lifecycle) => lifecycle[name] !== undefined)
          if (first === -1) continue
          const later = new Set(seen.slice(first).map((lifecycle) => lifecycle[name]))
          expect([...later]).toEqual([seen[first]?.[name]])
        }
      }),
    )
  })

  test('has finishedAt exactly from its first terminal phase on', () => {
    fc.assert(
      fc.property(anyPhases, (phases) => {
        const end = phases.findIndex((phase) => !['Pending', 'Running'].includes(phase))
        play(phases).forEach((lifecycle, index) => {
          expect(lifecycle.finishedAt !== undefined).toBe(end !== -1 && index >= end)
        })
      }),
    )
  })
})

test('a clock that is set back does not make a run end before its start', () => {
  const began = stampLifecycle(undefined, 'Running', new Date('2026-01-01T12:00:00Z'))
  expect(stampLifecycle(began, 'Succeeded', new Date('2026-01-01T11:00:00Z'))).toEqual({
    startedAt: '2026-01-01T12:00:00Z',
    finishedAt: '2026-01-01T12:00:00Z',
  })
})
