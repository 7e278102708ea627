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

function fail(onExitCodes: PodFailureRule['onExitCodes']): PodFailureRule {
  return {
    action: 'FailJob',
    ...(onExitCodes && { onExitCodes }),
  }
}

const failed = 'Container main for pod n/p failed with exit code 42 matching FailJob rule at index'

test.each([
  { because: 'without rules, the failure is counted', rules: [], action: 'count' },
  {
    because: 'the exit code is listed',
    rules: [fail({ operator: 'In', values: [1, 42] })],
    action: 'fail',
    message: `${failed} 0`,
  },
  {
    because: 'the exit code is not listed',
    rules: [fail({ operator: 'In', values: [1] })],
    action: 'count',
  },
  {
    because: 'an exit code of 0 is ignored',
    rules: [fail({ operator: 'NotIn', values: [42] })],
    action: 'count',
  },
  {
    because: 'the rule is about another container',
    rules: [fail({ containerName: 'helper', operator: 'In', values: [42] })],
    action: 'count',
  },
  {
    because: 'the first matching rule applies',
    rules: [
      fail({ operator: 'In', values: [1] }),
      { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] },
      fail({ operator: 'In', values: [42] }),
    ],
    action: 'ignore',
  },
  {
    because: 'a condition must have the requested status',
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
