import type { Condition } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { explainedKind, explainLiving, headlineOf, type LivingObject } from './explain-living.ts'

const now = new Date('2026-01-01T12:00:00Z')

function condition(
  type: string,
  status: Condition['status'],
  reason: string,
  message = '',
): Condition {
  return { type, status, reason, message, lastTransitionTime: '2026-01-01T00:00:00Z' }
}

const ready = [
  condition('Ready', 'True', 'OK'),
  condition('Validated', 'True', 'Valid'),
  condition('Scheduled', 'True', 'Scheduled'),
]

function explain(kind: string, spec: object, status: object) {
  const explained = explainedKind(kind)
  if (explained === undefined) throw new Error(`${kind} is not explained`)
  const object = { metadata: { name: 'nightly' }, spec, status } as unknown as LivingObject
  return explainLiving(explained, object, [], now)
}

describe('what happens next', () => {
  test.each([
    {
      because: 'no controller has seen it',
      kind: 'Schedule',
      spec: {},
      status: {},
      next: ['No controller has processed it yet'],
    },
    {
      because: 'a schedule is due',
      kind: 'Schedule',
      spec: { suspend: false },
      status: {
        conditions: ready,
        nextRunTime: '2026-01-01T14:00:00Z',
        lastRunRef: { kind: 'AgentRun', name: 'nightly-1' },
        missedRuns: 2,
      },
      next: [
        'The next run is due at 2026-01-01T14:00:00Z, in 120m.',
        'agentctl schedule trigger nightly',
        'The last run was nightly-1: agentctl explain agentrun nightly-1',
        '2 runs were not started',
      ],
    },
    {
      because: 'a schedule is suspended',
      kind: 'Schedule',
      spec: { suspend: true },
      status: { conditions: ready },
      next: ['agentctl schedule resume nightly', 'agentctl schedule trigger nightly'],
    },
    {
      because: 'a schedule is never due',
      kind: 'Schedule',
      spec: {},
      status: { conditions: ready },
      next: ['Its cron expression never matches', 'agentctl schedule trigger nightly'],
    },
    {
      because: 'an Orchestration can be run',
      kind: 'Orchestration',
      spec: { parameters: [{ name: 'stage', required: true }, { name: 'other' }], steps: [] },
      status: { conditions: ready },
      next: ['agentctl run --orchestration nightly -p stage=VALUE', 'agentctl graph'],
    },
    {
      because: 'it waits for something',
      kind: 'Orchestration',
      spec: {},
      status: {
        conditions: [
          condition('Ready', 'False', 'DependencyMissing', 'no Agent x'),
          condition('Reconciling', 'True', 'DependencyMissing'),
        ],
      },
      next: ['It waits, and is checked again when that changes: no Agent x'],
    },
    {
      because: 'it is wrong',
      kind: 'Orchestration',
      spec: {},
      status: {
        conditions: [
          condition('Ready', 'False', 'MissingSteps', 'there are no steps'),
          condition('Stalled', 'True', 'MissingSteps'),
        ],
      },
      next: ['It needs a change: there are no steps'],
    },
  ])('if $because', ({ kind, spec, status, next }) => {
    const trace = explain(kind, spec, status)
    expect(trace.next).toHaveLength(next.length)
    for (const [index, line] of next.entries()) expect(trace.next[index]).toContain(line)
  })
})

test('the gates of the kind are shown, and Ready at the end', () => {
  const { gates } = explain('Schedule', {}, { conditions: ready })
  expect(gates.map(({ type, answer }) => [type, answer])).toEqual([
    ['Validated', 'yes'],
    ['TargetResolved', 'open'],
    ['Scheduled', 'yes'],
    ['Ready', 'yes'],
  ])
})

test.each([
  { conditions: [], line: 'Pending: no controller has processed it yet' },
  { conditions: ready, line: 'Ready' },
  {
    conditions: [condition('Ready', 'False', 'InvalidCron', 'no cron')],
    line: 'Not ready: InvalidCron: no cron',
  },
])('the first line is $line', ({ conditions, line }) => {
  expect(headlineOf(conditions)).toBe(line)
})
