import type { AgentRun } from '@agents/jangar-api'
import { expect, test } from 'vitest'
import { decisionTrace } from './decision-trace.ts'
import { nextSteps } from './next-steps.ts'

const now = new Date('2030-01-01T00:01:00Z')
const at = '2030-01-01T00:00:00Z'

const condition = (type: string, status: string, reason: string, message = '') => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: at,
})

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
  { because: 'nobody has looked', of: run({}), says: 'agentctl doctor' },
  {
    because: 'something is missing',
    of: run({ conditions: [condition('Accepted', 'False', 'DependencyMissing', 'no agent')] }),
    says: 'Create what is missing',
  },
  {
    because: 'only a person can help',
    of: run({
      conditions: [
        condition('Stalled', 'True', 'X'),
        condition('Accepted', 'False', 'DependencyNotReady', 'mend it'),
      ],
    }),
    says: 'when somebody changes something: mend it',
  },
  {
    because: 'it waits for its turn, and when it is looked at again',
    of: run({
      conditions: [
        condition('Accepted', 'True', 'Accepted'),
        condition('Admitted', 'False', 'RateLimited'),
      ],
      queue: { position: 3, eligibleAt: '2030-01-01T00:01:30Z' },
    }),
    says: 'again in 30s at the latest',
  },
  {
    because: 'it runs against a deadline',
    of: run(
      { conditions: [...passed, condition('Started', 'True', 'Started')], startedAt: at },
      { timeoutSeconds: 100 },
    ),
    says: 'The run is ended in 40s',
  },
  {
    because: 'it has attempts left',
    of: run(
      { conditions: [...passed, condition('Started', 'True', 'Started')], attempts: 1 },
      { retries: 2 },
    ),
    says: 'tried again; 2 left',
  },
  {
    because: 'what counts is what was decided when it began, also by its agent',
    of: run({
      conditions: [...passed, condition('Started', 'True', 'Started')],
      attempts: 2,
      runtimeRef: {
        limits: { retries: 2, timeoutSeconds: 90 },
        task: { phase: 'Running', startedAt: at },
      },
    }),
    says: 'This attempt is ended in 30s if it has not finished by then.\nIf this attempt fails, it is tried again; 1 left.',
  },
  {
    because: 'an attempt has failed, and the next one has a time',
    of: run({
      conditions: [...passed, condition('Started', 'True', 'Started')],
      attempts: 1,
      runtimeRef: {
        limits: { retries: 2 },
        task: { phase: 'Retrying', nextRetryAt: '2030-01-01T00:01:20Z' },
      },
    }),
    says: 'Attempt 2 of 3 begins in 20s.',
  },
  {
    because: 'another attempt is due, and something keeps it',
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
    says: 'Attempt 2 of 3 is due, and begins when nothing keeps it any more: Agent a does not exist.',
  },
  {
    because: 'one step is done, and something keeps the next',
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
    says: 'The next step begins when nothing keeps it any more: step 2 of 2 (test): no spec.',
  },
  {
    because: 'attempts are those of the step that is on, not of all steps',
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
    says: 'it is tried again; 1 left',
  },
  {
    because: 'it is being cancelled',
    of: run({ conditions: passed }, { cancel: true }),
    says: 'being cancelled',
  },
  {
    because: 'it has ended, and is kept for a while',
    of: run(
      { conditions: [condition('Finished', 'True', 'Succeeded')], finishedAt: at },
      { ttlSecondsAfterFinished: 60 },
    ),
    says: 'kept until 2030-01-01T00:01:00Z',
  },
])('$because', ({ of, says }) => {
  expect(nextSteps(of, now).join('\n')).toContain(says)
})

test('nobody is sent to the output of a run that never began', () => {
  const ended = { conditions: [condition('Finished', 'True', 'Failed')], finishedAt: at }
  expect(nextSteps(run(ended), now).join('\n')).not.toContain('agentctl logs')
  expect(nextSteps(run({ ...ended, startedAt: at }), now).join('\n')).toContain('agentctl logs')
})

test('a trace has every gate in order, asked or not, and events by time', () => {
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
    meaning: 'Others go first; status.queue says how many.',
  })
  expect(queue).toEqual({ position: 2, eligibleAt: undefined, asOf: at })
  expect(history.map(({ reason }) => reason)).toEqual(['Sooner', 'Later'])
})

test('what keeps its Job is told where it happened, and by whose name', () => {
  const told = {
    ...event('FailedCreate', '2030-01-01T00:00:20Z'),
    involvedObject: { kind: 'Job', name: 'one-job' },
    message: 'no service account',
  }
  const own = [event('Submitting', '2030-01-01T00:00:10Z'), event('Later', '2030-01-01T00:00:30Z')]
  const { history } = decisionTrace(run({}), own, now, [told])
  expect(history.map(({ reason }) => reason)).toEqual(['Submitting', 'FailedCreate', 'Later'])
  expect(history[1]?.message).toBe('Job one-job: no service account')
})

test.each([
  { because: 'its beginning was over before it was told', told: ['Queued', 'Succeeded'] },
  { because: 'its end could not be told', told: ['Queued'] },
  { because: 'all was told', told: ['Queued', 'Running', 'Succeeded'] },
])('the beginning and the end of a run are there once when $because', ({ told }) => {
  const ended = run({
    conditions: [condition('Succeeded', 'True', 'Succeeded'), condition('Finished', 'True', 'x')],
    startedAt: at,
    finishedAt: at,
  })
  // All in one second, as with most short runs.
  const { history } = decisionTrace(
    ended,
    told.map((reason) => event(reason, at)),
    now,
  )
  expect(history.map(({ reason }) => reason)).toEqual(['Queued', 'Running', 'Succeeded'])
})

const event = (reason: string, lastTimestamp: string) => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: reason },
  involvedObject: {},
  reason,
  lastTimestamp,
})
