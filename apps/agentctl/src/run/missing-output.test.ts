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
    output: { pods: 2, shown: 2 },
    says: undefined,
  },
  {
    because: 'what runs now has said nothing, and nothing else is missing',
    of: run(2, false),
    output: { pods: 2, shown: 1 },
    says: undefined,
  },
  {
    because: 'attempts have made room for the next',
    of: run(3, true),
    output: { pods: 1, shown: 1 },
    says: 'Of 3 attempts 2 are not shown: their pods are gone. agentctl explain run one says how it went.',
  },
  {
    because: 'nothing was said yet',
    of: run(1, false),
    output: { pods: 1, shown: 0 },
    says: 'The run one has said nothing yet (Pending: m).',
  },
  {
    because: 'it was stopped, or its Job was cleared away',
    of: run(1, true),
    output: { pods: 0, shown: 0 },
    says: 'The run one has left nothing to show: no pod of it is there (Failed).\nagentctl explain run one says how it went.',
  },
  {
    because: 'it was refused',
    of: run(undefined, true),
    output: { pods: 0, shown: 0 },
    says: 'The run one has left nothing to show: it never began (Failed).\nagentctl explain run one says how it went.',
  },
])('$because', ({ of, output, says }) => {
  expect(missingOutput(of, output)).toBe(says)
})
