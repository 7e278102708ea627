import type { AgentRun } from '@agents/jangar-api'
import { expect, test } from 'vitest'
import { hasSeenEnd } from './seen-end.ts'

const finished = [{ type: 'Finished', status: 'True' }]

function ref(phase: string) {
  return { type: 'job', name: 'a-job', task: { phase } }
}

function steps(phase: string) {
  return { steps: [{ phase, jobRef: { name: 'a-job' } }] }
}

test.each([
  {
    because: 'the run has finished',
    status: { conditions: finished, runtimeRef: ref('Running') },
    is: true,
  },
  {
    because: 'the attempt was running when last observed',
    status: { runtimeRef: ref('Running') },
    is: false,
  },
  {
    because: 'the attempt has failed and another follows',
    status: { runtimeRef: ref('Retrying') },
    is: true,
  },
  {
    because: 'the current attempt is a different one',
    status: { runtimeRef: { ...ref('Running'), name: 'b' } },
    is: true,
  },
  {
    because: 'the step runs',
    status: { workflow: steps('Running'), runtimeRef: { type: 'workflow' } },
    is: false,
  },
  { because: 'the step has finished', status: { workflow: steps('Succeeded') }, is: true },
  { because: 'the run has no status', status: undefined, is: true },
])('$because: $is', ({ status, is }) => {
  expect(hasSeenEnd({ status } as unknown as AgentRun, 'a-job')).toBe(is)
})
