import type { AgentRun } from '@agents/jangar-api'
import { expect, test } from 'vitest'
import { decisionTrace } from './decision-trace.ts'
import { nextSteps } from './next-steps.ts'

const now = new Date('2030-01-01T00:01:00Z')
const at = '2030-01-01T00:00:00Z'

function condition(type: string, status: string, reason: string, message = '') {
  return {
    type,
    status,
    reason,
    message,
    lastTransitionTime: at,
  }
}

function run(status: object, spec: object = {}): AgentRun {
  return {
    apiVersion: 'agents.proompteng.ai/v1alpha1',
    kind: 'AgentRun',
    metadata: { name: 'one', namespace: 'agents' },
    spec: { agentRef: { name: 'a' }, runtime: { type: 'job' }, ...spec },
    status,
  } as AgentRun
}

const passed = [
  condition('Accepted', 'True', 'Accepted'),
  condition('Admitted', 'True', 'Admitted'),
]

test.each([
  { because: 'it was not reconciled', of: run({}), expectedMessage: 'agentctl doctor' },
  {
    because: 'something is missing',
    of: run({ conditions: [condition('Accepted', 'False', 'DependencyMissing', 'no agent')] }),
    expectedMessage: 'Create what is missing',
  },
  {
    because: 'it is stalled',
    of: run({
      conditions: [
        condition('Stalled', 'True', 'X'),
        condition('Accepted', 'False', 'DependencyNotReady', 'mend it'),
      ],
    }),
    expectedMessage: 'until an object or a setting changes: mend it',
  },
  {
    because: 'it is queued, with the time of the next check',
    of: run({
      conditions: [
        condition('Accepted', 'True', 'Accepted'),
        condition('Admitted', 'False', 'RateLimited'),
      ],
      queue: { position: 3, eligibleAt: '2030-01-01T00:01:30Z' },
    }),
    expectedMessage: 'again in 30s at the latest',
  },
  {
    because: 'it has a deadline',
    of: run(
      { conditions: [...passed, condition('Started', 'True', 'Started')], startedAt: at },
      { timeoutSeconds: 100 },
    ),
    expectedMessage: 'The run times out in 40s',
  },
  {
    because: 'it has attempts left',
    of: run(
      { conditions: [...passed, condition('Started', 'True', 'Started')], attempts: 1 },
      { retries: 2 },
    ),
    expectedMessage: 'retried; 2 left',
  },
  {
    because: 'the limits at its start apply, including those of its agent',
    of: run({
      conditions: [...passed, condition('Started', 'True', 'Started')],
      attempts: 2,
      runtimeRef: {
        limits: { retries: 2, timeoutSeconds: 90 },
        task: { phase: 'Running', startedAt: at },
      },
    }),
    expectedMessage:
      'This attempt times out in 30s.\nIf this attempt fails, it is retried; 1 left.',
  },
  {
    because: 'only some failures are retried',
    of: run({
      conditions: [...passed, condition('Started', 'True', 'Started')],
      attempts: 1,
      runtimeRef: { limits: { retries: 2, retryOn: ['Evicted', 'RateLimited'] } },
    }),
    expectedMessage: 'If this attempt fails with Evicted or RateLimited, it is retried; 2 left.',
  },
  {
    because: 'an attempt has failed, and the next one is scheduled',
    of: run({
      conditions: [...passed, condition('Started', 'True', 'Started')],
      attempts: 1,
      runtimeRef: {
        limits: { retries: 2 },
        task: { phase: 'Retrying', nextRetryAt: '2030-01-01T00:01:20Z' },
      },
    }),
    expectedMessage: 'Attempt 2 of 3 starts in 20s.',
  },
  {
    because: 'another attempt is due, and something blocks it',
    of: run({
      conditions: [
        condition('Succeeded', 'Unknown', 'Retrying', 'Agent a does not exist'),
        ...passed,
        condition('Started', 'True', 'Started'),
      ],
      attempts: 1,
      runtimeRef: {
        limits: { retries: 2 },
        task: { phase: 'Retrying', nextRetryAt: '2030-01-01T00:00:59Z' },
      },
    }),
    expectedMessage:
      'Attempt 2 of 3 is due and starts when this is resolved: Agent a does not exist.',
  },
  {
    because: 'one step is done, and something blocks the next',
    of: run({
      conditions: [
        condition('Succeeded', 'Unknown', 'Running', 'step 2 of 2 (test): no spec'),
        ...passed,
        condition('Started', 'True', 'Started'),
      ],
      attempts: 1,
      runtimeRef: { limits: { retries: 1 } },
      workflow: {
        steps: [
          { name: 'plan', phase: 'Succeeded', attempt: 1 },
          { name: 'test', phase: 'Pending' },
        ],
      },
    }),
    expectedMessage: 'The next step starts when this is resolved: step 2 of 2 (test): no spec.',
  },
  {
    because: 'attempts are those of the running step, not of all steps',
    of: run({
      conditions: [...passed, condition('Started', 'True', 'Started')],
      attempts: 7,
      runtimeRef: { limits: { retries: 1 } },
      workflow: {
        steps: [
          { name: 'plan', phase: 'Succeeded', attempt: 6 },
          { name: 'test', phase: 'Running', attempt: 1 },
        ],
      },
    }),
    expectedMessage: 'it is retried; 1 left',
  },
  {
    because: 'it is being cancelled',
    of: run({ conditions: passed }, { cancel: true }),
    expectedMessage: 'being cancelled',
  },
  {
    because: 'it has ended, and is retained for a while',
    of: run(
      { conditions: [condition('Finished', 'True', 'Succeeded')], finishedAt: at },
      { ttlSecondsAfterFinished: 60 },
    ),
    expectedMessage: 'kept until 2030-01-01T00:01:00Z',
  },
])('$because', ({ of, expectedMessage }) => {
  expect(nextSteps(of, now).join('\n')).toContain(expectedMessage)
})

test('a run that never started has no hint about its output', () => {
  const ended = { conditions: [condition('Finished', 'True', 'Failed')], finishedAt: at }
  expect(nextSteps(run(ended), now).join('\n')).not.toContain('agentctl logs')
  expect(nextSteps(run({ ...ended, startedAt: at }), now).join('\n')).toContain('agentctl logs')
})

test('a trace has every gate in order, checked or not, and events by time', () => {
  const { gates, queue, history } = decisionTrace(
    run({
      conditions: [
        condition('Accepted', 'True', 'Accepted', 'all is there'),
        condition('Admitted', 'False', 'Queued'),
      ],
      queue: { position: 2 },
      updatedAt: at,
    }),
    [event('Later', '2030-01-01T00:00:30Z'), event('Sooner', '2030-01-01T00:00:10Z')],
    now,
  )
  expect(gates.map(({ type, answer }) => [type, answer])).toEqual([
    ['Accepted', 'yes'],
    ['Admitted', 'no'],
    ['Started', 'open'],
    ['Finished', 'open'],
  ])
  expect(gates[1]).toMatchObject({
    reason: 'Queued',
    since: at,
    meaning: 'Other runs are ahead in the queue; status.queue shows the position.',
  })
  expect(queue).toEqual({ position: 2, eligibleAt: undefined, asOf: at })
  expect(history.map(({ reason }) => reason)).toEqual(['Sooner', 'Later'])
})

test('events of the Job are listed by time, with the name of the Job', () => {
  const recorded = {
    ...event('FailedCreate', '2030-01-01T00:00:20Z'),
    involvedObject: { kind: 'Job', name: 'one-job' },
    message: 'no service account',
  }
  const own = [event('Submitting', '2030-01-01T00:00:10Z'), event('Later', '2030-01-01T00:00:30Z')]
  const { history } = decisionTrace(run({}), own, now, { jobEvents: [recorded] })
  expect(history.map(({ reason }) => reason)).toEqual(['Submitting', 'FailedCreate', 'Later'])
  expect(history[1]?.message).toBe('Job one-job: no service account')
})

test.each([
  { because: 'the event of its start is missing', recorded: ['Queued', 'Succeeded'] },
  { because: 'the events of its start and end are missing', recorded: ['Queued'] },
  { because: 'all events exist', recorded: ['Queued', 'Running', 'Succeeded'] },
])('the start and the end of a run are listed once if $because', ({ recorded }) => {
  const ended = run({
    conditions: [condition('Succeeded', 'True', 'Succeeded'), condition('Finished', 'True', 'x')],
    startedAt: at,
    finishedAt: at,
  })
  // All events have the same second, as for most short runs.
  const { history } = decisionTrace(
    ended,
    recorded.map((reason) => event(reason, at)),
    now,
  )
  expect(history.map(({ reason }) => reason)).toEqual(['Queued', 'Running', 'Succeeded'])
})

function event(reason: string, lastTimestamp: string) {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: reason },
    involvedObject: {},
    reason,
    lastTimestamp,
  }
}
