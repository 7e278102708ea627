import type { Condition, KubeObject } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { foldRunVerdicts } from './fold-run-verdicts.ts'
import { foldVerdicts } from './fold-verdicts.ts'
import { livingConditions } from './living-conditions.ts'
import { runConditions } from './run-conditions.ts'
import type { RunVerdict, Verdict } from './verdict.ts'

interface Observed {
  observedGeneration?: number
  conditions?: readonly Condition[]
}

/**
 * The status that Helm 4 `--wait`, Flux and kpt compute for a custom resource, in the order of cli-utils' `Compute`,
 * which knows neither `Succeeded` nor phases.
 */
function kstatus({ metadata, status }: KubeObject): string {
  const { observedGeneration, conditions = [] } = (status ?? {}) as Observed
  if (metadata.deletionTimestamp) return 'Terminating'
  if (observedGeneration !== undefined && observedGeneration !== metadata.generation) {
    return 'InProgress'
  }
  for (const { type, status } of conditions) {
    if (type === 'Reconciling' && status === 'True') return 'InProgress'
    if (type === 'Stalled' && status === 'True') return 'Failed'
  }
  const ready = conditions.find(({ type }) => type === 'Ready')
  if (ready) return ready.status === 'True' ? 'Current' : 'InProgress'
  return 'Current'
}

/** Whether `kubectl wait --for=condition=TYPE` ends: a condition of an older generation does not count. */
function waitIsOver({ metadata, status }: KubeObject, type: string): boolean {
  const condition = (status as Observed).conditions?.find((entry) => entry.type === type)
  const { generation = 0 } = metadata
  return condition?.status === 'True' && (condition.observedGeneration ?? generation) >= generation
}

const doc = { True: 'Yes.', False: 'No.' }
const reasons = { OK: 'Fine.', Bad: 'Not fine.' }
const living = livingConditions({ gates: [{ type: 'Validated', doc, reasons }] })
const run = runConditions({ gates: [{ type: 'Accepted', doc, reasons }] })

const now = new Date('2026-01-01T00:00:00Z')
const pass = { kind: 'pass', reason: 'OK', message: '' } as const
const wait = { kind: 'wait', reason: 'Bad', message: '' } as const
const stall = { kind: 'stall', reason: 'Bad', message: '' } as const
const threw = { kind: 'threw', message: '' } as const

function object(generation: number, status: unknown): KubeObject {
  return {
    apiVersion: 'example.dev/v1',
    kind: 'Example',
    metadata: { name: 'x', generation },
    status,
  }
}

describe('what deployment tools conclude about a living kind', () => {
  const rows: { verdicts: Verdict<'OK' | 'Bad'>[]; concludes: string; because: string }[] = [
    { verdicts: [pass], concludes: 'Current', because: 'it is ready' },
    { verdicts: [wait], concludes: 'InProgress', because: 'a gate waits' },
    { verdicts: [threw], concludes: 'InProgress', because: 'the check of a gate failed' },
    { verdicts: [], concludes: 'InProgress', because: 'no gate was checked yet' },
    { verdicts: [stall], concludes: 'Failed', because: 'a user has to act' },
  ]
  test.each(rows)('$concludes: $because', ({ verdicts, concludes }) => {
    const status = foldVerdicts(living, verdicts, undefined, { now, generation: 1 })
    expect(kstatus(object(1, status))).toBe(concludes)
    expect(waitIsOver(object(1, status), 'Ready')).toBe(concludes === 'Current')
  })

  test('InProgress: it was never reconciled, and the server has defaulted the generation to -1', () => {
    expect(kstatus(object(1, { observedGeneration: -1 }))).toBe('InProgress')
  })

  test('InProgress: it was ready for an older spec, and the check of the new one failed', () => {
    const before = foldVerdicts(living, [pass], undefined, { now, generation: 1 })
    const after = foldVerdicts(living, [threw], before, { now, generation: 2 })
    expect(kstatus(object(2, before))).toBe('InProgress')
    expect(kstatus(object(2, after))).toBe('InProgress')
    expect(waitIsOver(object(2, after), 'Ready')).toBe(false)
  })
})

describe('what deployment tools conclude about a run', () => {
  const failed = { kind: 'failed', reason: 'Failed', message: '' } as const
  const refused = { kind: 'failed', reason: 'Bad', message: '' } as const
  const rows: {
    verdicts: RunVerdict<'OK' | 'Bad' | 'Failed' | 'Running'>[]
    concludes: string
    over: boolean
    because: string
  }[] = [
    { verdicts: [wait], concludes: 'InProgress', over: false, because: 'it is pending' },
    { verdicts: [stall], concludes: 'InProgress', over: false, because: 'it waits for a user' },
    { verdicts: [pass], concludes: 'InProgress', over: false, because: 'it is running' },
    { verdicts: [pass, threw], concludes: 'InProgress', over: false, because: 'the check failed' },
    {
      verdicts: [pass, { kind: 'succeeded', message: '' }],
      concludes: 'Current',
      over: true,
      because: 'it has succeeded',
    },
    { verdicts: [pass, failed], concludes: 'Failed', over: true, because: 'its work failed' },
    { verdicts: [refused], concludes: 'Failed', over: true, because: 'it was rejected' },
    {
      verdicts: [{ kind: 'cancelled', message: '' }],
      concludes: 'Failed',
      over: true,
      because: 'it was cancelled',
    },
  ]
  test.each(rows)('$concludes: $because', ({ verdicts, concludes, over }) => {
    const status = foldRunVerdicts(run, verdicts, undefined, { now, generation: 1 })
    expect(kstatus(object(1, status))).toBe(concludes)
    expect(waitIsOver(object(1, status), 'Finished')).toBe(over)
    expect(waitIsOver(object(1, status), 'Succeeded')).toBe(concludes === 'Current')
    expect(waitIsOver(object(1, status), 'Ready')).toBe(concludes === 'Current')
  })

  test('Current: a finished run whose retention is changed stays finished', () => {
    const ended = foldRunVerdicts(run, [pass, { kind: 'succeeded', message: '' }], undefined, {
      now,
      generation: 1,
    })
    const changed = foldRunVerdicts(run, [], ended, { now, generation: 2 })
    expect(kstatus(object(2, changed))).toBe('Current')
    expect(waitIsOver(object(2, changed), 'Finished')).toBe(true)
  })
})
