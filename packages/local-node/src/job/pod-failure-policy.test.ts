import type { Pod } from '@agents/kube'
import { expect, test } from 'vitest'
import { type PodFailureRule, respondToFailure } from './pod-failure-policy.ts'

const pod: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'n' },
  spec: { containers: [{ name: 'main' }, { name: 'helper' }] },
  status: {
    phase: 'Failed',
    conditions: [{ type: 'DisruptionTarget', status: 'True' }],
    containerStatuses: [
      { name: 'helper', ready: false, restartCount: 0, state: { terminated: { exitCode: 0 } } },
      { name: 'main', ready: false, restartCount: 0, state: { terminated: { exitCode: 42 } } },
    ],
  },
}

const fail = (onExitCodes: PodFailureRule['onExitCodes']): PodFailureRule => ({
  action: 'FailJob',
  ...(onExitCodes && { onExitCodes }),
})
const failed = 'Container main for pod n/p failed with exit code 42 matching FailJob rule at index'

test.each([
  { because: 'without rules it counts', rules: [], action: 'count' },
  {
    because: 'the exit code is one of those',
    rules: [fail({ operator: 'In', values: [1, 42] })],
    action: 'fail',
    message: `${failed} 0`,
  },
  {
    because: 'the exit code is none of those',
    rules: [fail({ operator: 'In', values: [1] })],
    action: 'count',
  },
  {
    because: 'success is no exit code to look at',
    rules: [fail({ operator: 'NotIn', values: [42] })],
    action: 'count',
  },
  {
    because: 'the rule is about another container',
    rules: [fail({ containerName: 'helper', operator: 'In', values: [42] })],
    action: 'count',
  },
  {
    because: 'the first rule that fits counts',
    rules: [
      fail({ operator: 'In', values: [1] }),
      { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] },
      fail({ operator: 'In', values: [42] }),
    ],
    action: 'ignore',
  },
  {
    because: 'a condition must have the status asked for',
    rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'False' }] }],
    action: 'count',
  },
] satisfies { because: string; rules: PodFailureRule[]; action: string; message?: string }[])(
  '$because',
  ({ rules, action, message }: { rules: PodFailureRule[]; action: string; message?: string }) => {
    const response = respondToFailure({ rules }, pod)
    expect(response.action).toBe(action)
    if (message !== undefined) expect(response).toMatchObject({ verdict: { message } })
  },
)
