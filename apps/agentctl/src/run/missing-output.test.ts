import type { AgentRun } from '@agents/jangar-api'
import { expect, test } from 'vitest'
import { missingOutput } from './missing-output.ts'

function run(attempts: number | undefined, isFinished: boolean): AgentRun {
  const condition = (type: string, status: string) => ({ type, status, reason: 'R', message: 'm' })
  return {
    apiVersion: 'agents.proompteng.ai/v1alpha1',
    kind: 'AgentRun',
    metadata: { name: 'one' },
    spec: { agentRef: { name: 'a' }, runtime: { type: 'job' } },
    status: {
      ...(attempts !== undefined && { attempts }),
      conditions: [
        condition('Succeeded', isFinished ? 'False' : 'Unknown'),
        condition('Finished', isFinished ? 'True' : 'False'),
      ],
    },
  } as AgentRun
}

test.each([
  {
    because: 'all attempts were shown',
    of: run(2, true),
    output: { pods: 2, printed: 2 },
    expectedMessage: undefined,
  },
  {
    because: 'the running attempt has no output yet, and nothing else is missing',
    of: run(2, false),
    output: { pods: 2, printed: 1 },
    expectedMessage: undefined,
  },
  {
    because: 'pods of earlier attempts are deleted',
    of: run(3, true),
    output: { pods: 1, printed: 1 },
    expectedMessage:
      'The output of 2 of 3 attempts is not shown: their pods are deleted. For details: agentctl explain run one',
  },
  {
    because: 'there is no output yet',
    of: run(1, false),
    output: { pods: 1, printed: 0 },
    expectedMessage: 'Run one has no output yet (Pending: m).',
  },
  {
    because: 'its pods are deleted',
    of: run(1, true),
    output: { pods: 0, printed: 0 },
    expectedMessage:
      'Run one has no output: its pods are deleted (Failed).\nFor details: agentctl explain run one',
  },
  {
    because: 'it was rejected',
    of: run(undefined, true),
    output: { pods: 0, printed: 0 },
    expectedMessage:
      'Run one has no output: it never started (Failed).\nFor details: agentctl explain run one',
  },
])('$because', ({ of, output, expectedMessage }) => {
  expect(missingOutput(of, output)).toBe(expectedMessage)
})
