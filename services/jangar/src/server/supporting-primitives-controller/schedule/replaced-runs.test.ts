import { type Schedule, scheduledAtAnnotation } from '@agents/jangar-api'
import { KubeError } from '@agents/kube'
import { expect, test } from 'vitest'
import { cancelReplaced, replacedRuns } from './replaced-runs.ts'
import type { RunKinds, ScheduledRun } from './run-kinds.ts'

const schedule = {
  spec: { concurrencyPolicy: 'Replace', template: { kind: 'ToolRun' } },
} as Schedule

interface Made {
  readonly kind?: string
  /** Whether a user has triggered it. */
  readonly isManual?: boolean
  readonly isFinished?: boolean
  readonly cancel?: boolean
}

/** A run that was created at this minute. */
function run(minute: number, made: Made = {}): ScheduledRun {
  const { kind = 'ToolRun', isManual = false, isFinished = false, cancel } = made
  const at = `2026-01-01T00:${String(minute).padStart(2, '0')}:00Z`
  return {
    kind,
    metadata: {
      ...{ name: `at-${minute}`, uid: `${kind} ${minute} ${isManual}`, creationTimestamp: at },
      ...(!isManual && { annotations: { [scheduledAtAnnotation]: at } }),
    },
    spec: { ...(cancel && { cancel }) },
    status: { conditions: isFinished ? [{ type: 'Finished', status: 'True' }] : [] },
  } as unknown as ScheduledRun
}

const before = '2025-12-31T00:00:00Z'
const finished = { isFinished: true }
const manual = { isManual: true }

test.each([
  { because: 'the last one replaces the others', runs: [run(3), run(1), run(2)], are: [1, 2] },
  { because: 'also if it has finished', runs: [run(1), run(2, finished)], are: [1] },
  { because: 'not those that have finished', runs: [run(1, finished), run(2)], are: [] },
  {
    because: 'those that users have triggered before it, not after it or in the same second',
    runs: [run(1, manual), run(2), run(2, manual), run(3, manual)],
    are: [1],
  },
  {
    because: 'a run that a user has triggered replaces nothing',
    runs: [run(1), run(2, manual)],
    are: [],
  },
  {
    because: 'also of another kind, if the schedule has started it',
    runs: [run(1, { kind: 'AgentRun' }), run(2, { kind: 'AgentRun', ...manual }), run(3)],
    are: [1],
  },
])('a schedule with Replace cancels the runs $are: $because', ({ runs, are }) => {
  const names = replacedRuns(schedule, runs, before).map(({ metadata }) => metadata.name)
  expect(names).toEqual(are.map((minute) => `at-${minute}`))
})

test.each(['Allow', 'Forbid'] as const)('a schedule with %s replaces nothing', (policy) => {
  const other = { spec: { ...schedule.spec, concurrencyPolicy: policy } } as Schedule
  expect(replacedRuns(other, [run(1), run(2)], before)).toEqual([])
})

test.each([undefined, '2026-01-01T00:02:00Z'])(
  'a schedule whose spec is in effect since %s, after its last start, replaces nothing',
  (activeSince) => {
    expect(replacedRuns(schedule, [run(1), run(2)], activeSince)).toEqual([])
  },
)

test('each of them is cancelled once, also if the server refuses one, and the refusal is reported', async () => {
  const patched: string[] = []
  const api = {
    patch: async ({ name = '' }: { readonly name?: string }, patch: object) => {
      expect(patch).toEqual({ spec: { cancel: true } })
      patched.push(name)
      if (name === 'at-1') throw new KubeError('PATCH /at-1: denied', { code: 403 } as never)
      if (name === 'at-2') throw new KubeError('PATCH /at-2: gone', { code: 404 } as never)
    },
  }
  const kinds = new Map([['ToolRun', { api }]]) as unknown as RunKinds
  const runs = [run(0, { cancel: true }), run(1), run(2), run(3)]
  const signal = new AbortController().signal
  expect(await cancelReplaced(kinds, runs, signal)).toBe(
    'a run that is replaced could not be cancelled: ToolRun at-1: denied',
  )
  expect(patched).toEqual(['at-1', 'at-2', 'at-3'])
})
